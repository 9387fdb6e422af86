import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { TransferRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/lib/clock.ts';
import { findOwnTransfer, holdOwnTransfer } from './drafts.ts';
import { enqueueShareMails } from './emails.ts';
import { isExpired } from './expiry.ts';
import { countResends, insertResends } from './queries.ts';

/** Three at once, one a minute in the long run. */
const PER_TRANSFER = { limit: 3, windowMs: 3 * MINUTE_MS };
/** Our mails must not become somebody's weapon. */
const MAILS_PER_DAY = 200;

type Resend = {
  transferId: string;
  sender: Pick<UserRow, 'id' | 'name' | 'email'>;
  recipientEmails: string[];
};

/**
 * Mails the share link again, one mail per address; returns how many. Throws AppError `transfer_not_found`,
 * `transfer_expired`, `too_many_requests`.
 */
export async function resendTransfer(context: Context, resend: Resend): Promise<number> {
  const { config, db, clock, wakeWorker } = context;
  const { transferId, sender, recipientEmails } = resend;
  const now = clock.now();
  refuseUnlessLive(await findOwnTransfer(db, sender.id, transferId), now);
  await takeTry(context, { key: `resend:${transferId}`, ...PER_TRANSFER });
  await transaction(db, async (trx) => {
    const transfer = await holdOwnTransfer(trx, sender.id, transferId);
    refuseUnlessLive(transfer, now);
    if (config.rateLimit) await refuseBeyondDailyMails(trx, resend, now);
    await insertResends(trx, { transferId, userId: sender.id, resentAt: now, mails: recipientEmails.length });
    await enqueueShareMails(trx, { transfer, sender, publicUrl: config.publicUrl, now }, recipientEmails);
  });
  wakeWorker();
  return recipientEmails.length;
}

function refuseUnlessLive(transfer: Pick<TransferRow, 'status' | 'expiresAt'>, now: number): void {
  if (transfer.status !== 'ready') throw new AppError('transfer_not_found');
  if (isExpired(transfer, now)) throw new AppError('transfer_expired');
}

async function refuseBeyondDailyMails(
  db: Db | Trx,
  { sender, recipientEmails }: Resend,
  now: number,
): Promise<void> {
  const { mails, oldestAt } = await countResends(db, { userId: sender.id, since: now - DAY_MS });
  if (mails + recipientEmails.length <= MAILS_PER_DAY) return;
  const waitMs = (oldestAt ?? now) + DAY_MS - now;
  throw new AppError('too_many_requests', {
    details: { wait: `${Math.ceil(waitMs / HOUR_MS)} hours` },
    retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
  });
}
