import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { claimTry, formatWait, takeTries, toRetryAfter } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, HOUR_MS } from '../../platform/lib/clock.ts';
import { recipientKey } from './recipients.ts';

/** Our mails must not become somebody's weapon: people a sender mails in a day … */
const PER_SENDER = { limit: 200, windowMs: DAY_MS };
/** … and mails of one sender to one mailbox in an hour. */
const PER_MAILBOX = { limit: 20, windowMs: HOUR_MS };

/**
 * Counts one mail for each of these addresses against the sender's day. Call it in the transaction that
 * schedules them: refused, nothing of it has happened. Throws AppError `daily_mails_exceeded`,
 * `too_many_requests`.
 */
export async function chargeMails(
  trx: Trx,
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { senderId, emails }: { senderId: string; emails: string[] },
): Promise<void> {
  const deps = { db: trx, clock, config };
  const refusal = await claimTry(deps, { key: `mails:${senderId}`, ...PER_SENDER, cost: emails.length });
  if (refusal) {
    const { remaining, waitMs } = refusal;
    throw new AppError('daily_mails_exceeded', {
      details: { remaining, wait: formatWait(waitMs) },
      retryAfterSeconds: toRetryAfter(waitMs),
    });
  }
  const keys = emails.map((email) => `mailbox:${senderId}:${recipientKey(email)}`);
  await takeTries(deps, { keys, ...PER_MAILBOX });
}
