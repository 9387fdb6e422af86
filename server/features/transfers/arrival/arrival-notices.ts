import { ARRIVAL_NOTICES_MAX } from '../../../../contracts/transfers/arrival.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { isExpired } from '../lifecycle/expiry.ts';
import { enqueueArrivalNotice } from '../mails/arrival-mail.ts';
import type { ShareMail } from '../mails/emails.ts';
import { recipientKey } from '../mails/recipients.ts';

type NoticeRequest = { transferId: string; email: string; language: LanguageCode | null };

/**
 * Stores an address that is mailed once the transfer has arrived. Resolves alike whether the address is new or known, and
 * at the limit refuses both. Throws AppError `already_arrived`, `upload_stopped`, `transfer_not_found`,
 * `arrival_notices_full`.
 */
export function addArrivalNotice(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { transferId, email, language }: NoticeRequest,
): Promise<void> {
  return transaction(db, async (trx) => {
    if (!(await claimNotice(trx, transferId))) throw await explainRefusal(trx, transferId);
    const added = await trx
      .insertInto('arrivalNotices')
      .values({ transferId, emailKey: recipientKey(email), email, language, createdAt: clock.now() })
      .onConflict((conflict) => conflict.columns(['transferId', 'emailKey']).doNothing())
      .returning('transferId')
      .executeTakeFirst();
    if (!added) await returnNotice(trx, transferId);
  });
}

/** Locks the transfer, so that it cannot become ready before the address is stored. */
async function claimNotice(trx: Trx, transferId: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('transfers')
    .set((eb) => ({ arrivalNoticeCount: eb('arrivalNoticeCount', '+', 1) }))
    .where('id', '=', transferId)
    .where('status', '=', 'arriving')
    .where('arrivalNoticeCount', '<', ARRIVAL_NOTICES_MAX)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function returnNotice(trx: Trx, transferId: string): Promise<void> {
  await trx
    .updateTable('transfers')
    .set((eb) => ({ arrivalNoticeCount: eb('arrivalNoticeCount', '-', 1) }))
    .where('id', '=', transferId)
    .execute();
}

async function explainRefusal(trx: Trx, transferId: string): Promise<AppError> {
  const transfer = await trx
    .selectFrom('transfers')
    .select('status')
    .where('id', '=', transferId)
    .executeTakeFirst();
  if (transfer?.status === 'ready') return new AppError('already_arrived');
  if (transfer?.status === 'draft') return new AppError('upload_stopped');
  return new AppError(transfer?.status === 'arriving' ? 'arrival_notices_full' : 'transfer_not_found');
}

/**
 * Deletes the stored addresses and mails each of them, except those in `mailed` and if the transfer can't be downloaded.
 * Call it in the transaction that makes the transfer ready.
 */
export async function enqueueArrivalNotices(
  trx: Trx,
  mail: ShareMail,
  mailed: ReadonlySet<string>,
): Promise<void> {
  const { transfer, now } = mail;
  const notices = await trx
    .deleteFrom('arrivalNotices')
    .where('transferId', '=', transfer.id)
    .returning(['email', 'emailKey', 'language'])
    .execute();
  const { takenDownAt, closedAt, maxDownloads, downloadCount } = transfer;
  const isUsedUp = closedAt !== null || (maxDownloads !== null && downloadCount >= maxDownloads);
  if (takenDownAt !== null || isUsedUp || isExpired(transfer, now)) return;
  for (const notice of notices)
    if (!mailed.has(notice.emailKey)) await enqueueArrivalNotice(trx, mail, notice);
}
