import type { TransferDetail } from '../../../contracts/transfers.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { listLooks } from '../previews/looks.ts';
import { removeTransfer } from './deletion.ts';
import { presentDownload, presentFile, presentRecipient, presentTransfer } from './presenter.ts';
import { findReadyTransfer, listFiles, listRecentDownloads, ownsTransfer } from './queries.ts';
import { listShownRecipients, type ShownRecipient } from './recipient-queries.ts';
import { recipientKey } from './recipients.ts';

type Owned = { transferId: string; userId: string };

/** One transfer with its files, recipients and most recent downloads. Throws AppError `transfer_not_found`. */
export async function getTransfer(context: Context, owned: Owned): Promise<TransferDetail> {
  const { db, clock, geo } = context;
  const row = await findReadyTransfer(db, owned);
  if (!row) throw new AppError('transfer_not_found');
  const transfer = presentTransfer(row, clock.now());
  const [files, looks, recipients, downloads] = await Promise.all([
    listFiles(db, row.id),
    listLooks(context, row.id, { whole: true }),
    listShownRecipients(db, row.id),
    listRecentDownloads(db, row.id),
  ]);
  return {
    ...transfer,
    files: files.map((file) => presentFile(file, row.zipCount, looks)),
    recipients: inListedOrder(recipients, transfer.recipientEmails).map(presentRecipient),
    downloads: downloads.map((download) => presentDownload(download, geo)),
  };
}

function inListedOrder(recipients: ShownRecipient[], emails: string[]): ShownRecipient[] {
  const places = new Map(emails.map((email, place) => [recipientKey(email), place]));
  const placeOf = ({ emailKey }: ShownRecipient) => places.get(emailKey) ?? emails.length;
  return recipients.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** At once gone for everybody, bytes soon after. Throws AppError `transfer_not_found`. */
export async function deleteTransfer(context: Context, owned: Owned): Promise<void> {
  const { db, wakeWorker } = context;
  await transaction(db, async (trx) => {
    const removed =
      (await ownsTransfer(trx, owned)) &&
      (await removeTransfer({ ...context, db: trx }, owned.transferId, { cause: 'deleted-by-owner' }));
    if (!removed) throw new AppError('transfer_not_found');
  });
  wakeWorker();
}
