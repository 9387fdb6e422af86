import type { FastifyRequest } from 'fastify';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import type { Context } from '../../context.ts';
import { findKnownPlaces, rememberPlace } from '../../platform/http/known-places.ts';
import {
  addressKey,
  claimFromBudget,
  giveBackToBudget,
  giveBackTry,
  takeAddressTries,
  tooManyRequests,
} from '../../platform/http/rate-limits.ts';
import { readSignedValue, type Secrets, type Signing, signValue } from '../../platform/http/signed-value.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { keyedHash } from '../../platform/lib/tokens.ts';
import { claimHashing, verifyPassword } from '../accounts/index.ts';
import type { Share } from './queries.ts';

export const GRANT_LIFETIME_MS = RETENTION.unlockedTransferHours * HOUR_MS;

const WINDOW_MS = 15 * MINUTE_MS;
/** For a transfer from one network address. */
const TRIES_PER_ADDRESS = 10;
/** For a transfer from all addresses that never unlocked it: 100 at once, then 288 a day. */
const BUDGET = { tries: 100, refillMs: 5 * MINUTE_MS };
const KNOWN_ADDRESSES_MAX = 500;

type LockedShare = Pick<Share, 'id' | 'createdAt' | 'passwordHash'>;

/**
 * Tries a password: the grant that unlocks this transfer for 12 hours, or undefined when it has no password. Tries are
 * counted before the check and given back when the password is right. Throws AppError `too_many_requests`,
 * `wrong_password`, `unavailable`.
 */
export async function unlockTransfer(
  context: Context,
  share: LockedShare,
  { password, request }: { password: string; request: FastifyRequest },
): Promise<string | undefined> {
  const { clock, secret } = context;
  if (share.passwordHash === null) return undefined;
  const address = addressKey(request);
  const subject = `transfer:${share.id}`;
  const place = keyedHash(secret, 'known-address', subject, address);
  const giveBack = await takeUnlockTry(context, { subject, place, request });
  await claimHashing(context, { address });
  const isRight = await verifyPassword(share.passwordHash, password, { address, account: share.id });
  if (!isRight) throw new AppError('wrong_password');
  await giveBack();
  await rememberPlace(context, { subject, place, max: KNOWN_ADDRESSES_MAX });
  return signValue(grantSigning({ secret }, share), 'unlocked', clock.now() + GRANT_LIFETIME_MS);
}

/**
 * An address that unlocked the transfer before has tries of its own, so strangers cannot lock recipients out; all
 * others share the transfer's budget. Returns what gives the try back. Throws AppError `too_many_requests`.
 */
async function takeUnlockTry(
  context: Context,
  { subject, place, request }: { subject: string; place: string; request: FastifyRequest },
): Promise<() => Promise<void>> {
  const limits = await takeAddressTries(context, request, {
    key: `unlock:${subject}`,
    limit: TRIES_PER_ADDRESS,
    windowMs: WINDOW_MS,
  });
  const isKnown = (await findKnownPlaces(context, { subject, places: [place] })).has(place);
  const budget = { key: `unlock:budget:${subject}`, ...BUDGET };
  const waitMs = isKnown ? undefined : await claimFromBudget(context, budget);
  if (waitMs !== undefined) throw tooManyRequests(waitMs);
  return async () => {
    for (const limit of limits) await giveBackTry(context, limit);
    if (!isKnown) await giveBackToBudget(context, budget);
  };
}

/** Whether the transfer has no password, or this grant proves that its present one was known. */
export function isUnlocked(
  { now, ...secrets }: Secrets & { now: number },
  share: LockedShare,
  grant: string | undefined,
): boolean {
  if (share.passwordHash === null) return true;
  return readSignedValue(grantSigning(secrets, share), grant, now) !== undefined;
}

/** Void for any other transfer, also one made again, and as soon as the password changes. */
function grantSigning(
  { secret, previousSecret }: Secrets,
  { id, createdAt, passwordHash }: LockedShare,
): Signing {
  const bindings = [id, String(createdAt), passwordHash ?? ''];
  return { secret, previousSecret, purpose: 'download-grant', bindings };
}
