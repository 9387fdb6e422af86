import { RECIPIENTS_MAX } from '../../../../contracts/plans/limits.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { lockOwnTransfer, requireComplete } from '../lifecycle/drafts.ts';
import { isExpired } from '../lifecycle/expiry.ts';
import { chargeMails } from '../limits/mail-quota.ts';
import { insertResend, updateRecipientEmails } from '../queries.ts';
import { enqueueShareMails, gatherShareMail } from './emails.ts';
import { addRecipients, recipientKey } from './recipients.ts';

/** Bursts of three, one per minute on average. */
const PER_TRANSFER = { limit: 3, windowMs: 3 * MINUTE_MS };

type Resend = {
  transferId: string;
  senderId: string;
  recipientEmails: string[];
  address: string;
};

/**
 * Mails the share link, one mail per address. New addresses become recipients. Returns the number of mails. Throws
 * AppError `transfer_not_found`, `still_arriving`, `transfer_taken_down`, `transfer_blocked`, `transfer_checking`,
 * `transfer_expired`, `transfer_used_up`, `invalid_input` (more recipients than a transfer may have),
 * `too_many_requests`, and what `chargeMails` throws.
 */
export async function resendTransfer(context: Context, resend: Resend): Promise<number> {
  const { config, db, clock } = context;
  const { transferId, senderId, recipientEmails, address } = resend;
  await transaction(db, async (trx) => {
    const now = clock.now();
    const transfer = await lockOwnTransfer(trx, senderId, transferId);
    requireLive(transfer, now);
    const all = joinRecipients(JSON.parse(transfer.recipientEmails) as string[], recipientEmails);
    await requireWithinLimit({ db: trx, clock, config }, { key: `resend:${transferId}`, ...PER_TRANSFER });
    await chargeMails(trx, context, { senderId, emails: recipientEmails, address });
    await insertResend(trx, { transferId, userId: senderId, resentAt: now });
    await updateRecipientEmails(trx, transferId, all);
    const recipients = await addRecipients(trx, transferId, recipientEmails, now);
    await enqueueShareMails(trx, await gatherShareMail(trx, context, transfer), recipients);
  });
  return recipientEmails.length;
}

function requireLive(transfer: TransferRow, now: number): void {
  requireComplete(transfer);
  if (transfer.takenDownAt !== null) throw new AppError('transfer_taken_down');
  if (transfer.scanState === 'blocked') throw new AppError('transfer_blocked');
  if (transfer.announceHeldAt !== null) throw new AppError('transfer_checking');
  if (isExpired(transfer, now)) throw new AppError('transfer_expired');
  if (transfer.closedAt !== null) throw new AppError('transfer_used_up');
}

function joinRecipients(present: string[], added: string[]): string[] {
  const known = new Set(present.map(recipientKey));
  const all = [...present, ...added.filter((email) => !known.has(recipientKey(email)))];
  if (all.length <= RECIPIENTS_MAX) return all;
  const message = `A transfer has at most ${RECIPIENTS_MAX} recipients; this one has ${present.length}.`;
  throw new AppError('invalid_input', { message, errors: { recipientEmails: message } });
}
