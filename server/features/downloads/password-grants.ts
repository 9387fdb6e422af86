import { RETENTION } from '../../../contracts/retention.ts';
import type { Context } from '../../context.ts';
import { giveBackTry, takeTry } from '../../platform/http/rate-limits.ts';
import { readSignedValue, type Signing, signValue } from '../../platform/http/signed-value.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { verifyPassword } from '../accounts/passwords.ts';
import type { Share } from './queries.ts';

export const GRANT_LIFETIME_MS = RETENTION.unlockedTransferHours * HOUR_MS;

const WRONG_TRIES = { limit: 10, windowMs: 15 * MINUTE_MS };

type LockedShare = Pick<Share, 'id' | 'createdAt' | 'passwordHash'>;

/**
 * Tries a password: the grant that unlocks this transfer for 12 hours, or undefined when it has no lock.
 * Tries are counted before they are judged, right ones are given back. Throws AppError `too_many_requests`,
 * `wrong_password`.
 */
export async function unlockTransfer(
  context: Context,
  share: LockedShare,
  { password, visitorKey }: { password: string; visitorKey: string },
): Promise<string | undefined> {
  const { clock, secret } = context;
  if (share.passwordHash === null) return undefined;
  const key = `unlock:${share.id}:${visitorKey}`;
  await takeTry(context, { key, ...WRONG_TRIES });
  if (!(await verifyPassword(share.passwordHash, password))) throw new AppError('wrong_password');
  await giveBackTry(context, { key });
  return signValue(grantSigning(secret, share), 'unlocked', clock.now() + GRANT_LIFETIME_MS);
}

/** Whether the transfer has no password, or this grant proves that its present one was known. */
export function isUnlocked(
  { secret, now }: { secret: string; now: number },
  share: LockedShare,
  grant: string | undefined,
): boolean {
  if (share.passwordHash === null) return true;
  return readSignedValue(grantSigning(secret, share), grant, now) !== undefined;
}

/** Void for any other transfer, also one made again, and as soon as the password changes. */
function grantSigning(secret: string, { id, createdAt, passwordHash }: LockedShare): Signing {
  return { secret, purpose: 'download-grant', bindings: [id, String(createdAt), passwordHash ?? ''] };
}
