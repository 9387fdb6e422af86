import { secureAccountPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { claimWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { hashToken, randomId } from '../../../platform/lib/tokens.ts';
import { insertAccountAlert } from '../mailed-token-queries.ts';

export const ALERT_DAYS = 7;
/** Security mails per account, day and subject. */
const ALERTS_PER_DAY = 20;

type InTransaction = Pick<Context, 'clock' | 'config'> & { db: Trx };

/**
 * Creates a "This wasn't me" link to the user's current address, valid for `ALERT_DAYS` days. Call it in the
 * transaction of the change.
 */
export async function createAlertLink(
  { db: trx, clock, config }: InTransaction,
  { id: userId, email }: Pick<UserRow, 'id' | 'email'>,
): Promise<string> {
  const now = clock.now();
  const token = randomId();
  await insertAccountAlert(trx, {
    id: randomId(),
    userId,
    email,
    tokenHash: hashToken(token),
    expiresAt: now + ALERT_DAYS * DAY_MS,
    createdAt: now,
  });
  return config.publicUrl + secureAccountPath(token);
}

/**
 * `createAlertLink` for changes that can be repeated freely. Returns undefined once the account has reached the day's
 * limit for `subject`, so that repeated changes cannot flood a mailbox.
 */
export async function createLimitedAlertLink(
  deps: InTransaction,
  user: Pick<UserRow, 'id' | 'email'>,
  subject: 'api-key' | 'webhook' | 'sign-in' | 'passkey',
): Promise<string | undefined> {
  const key = `alert:${subject}:${user.id}`;
  const refusal = await claimWithinLimit(deps, { key, limit: ALERTS_PER_DAY, windowMs: DAY_MS });
  return refusal ? undefined : createAlertLink(deps, user);
}
