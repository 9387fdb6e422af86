import { DAY_MS } from '../../../contracts/values/durations.ts';
import { secureAccountPath } from '../../../contracts/values/links.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { claimWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { insertAccountAlert } from './mailed-token-queries.ts';

/** How long the link "This wasn't me" of a security mail stays valid. */
export const ALERT_DAYS = 7;
/** Security mails per account, day and subject (keys, webhooks). */
const ALERTS_PER_DAY = 20;

type InTransaction = Pick<Context, 'clock' | 'config'> & { db: Trx };

/**
 * Creates the link "This wasn't me" for a security mail to the user's current address, in the transaction that makes
 * the change. Opening it secures the account, for `ALERT_DAYS` days.
 */
export async function offerSecuring(
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
 * Like `offerSecuring`, for a change that can be repeated at will. Returns undefined once the account got enough
 * mails about `subject` today, so that creating and deleting cannot flood a mailbox.
 */
export async function offerSecuringOfMany(
  deps: InTransaction,
  user: Pick<UserRow, 'id' | 'email'>,
  subject: 'api-key' | 'webhook',
): Promise<string | undefined> {
  const key = `alert:${subject}:${user.id}`;
  const refusal = await claimWithinLimit(deps, { key, limit: ALERTS_PER_DAY, windowMs: DAY_MS });
  return refusal ? undefined : offerSecuring(deps, user);
}
