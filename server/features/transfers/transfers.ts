import type { Transfer, TransferDetail } from '../../../contracts/transfers.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { removeTransfer } from './deletion.ts';
import { presentDownload, presentFile, presentTransfer } from './presenter.ts';
import {
  findReadyTransfer,
  listFiles,
  listReadyTransfers,
  listRecentDownloads,
  ownsTransfer,
} from './queries.ts';

type Owned = { transferId: string; userId: string };

/** The owner's transfers, the newest first; drafts are not transfers yet. */
export async function listTransfers({ db, clock }: Context, userId: string): Promise<Transfer[]> {
  const now = clock.now();
  return (await listReadyTransfers(db, userId)).map((row) => presentTransfer(row, now));
}

/** One transfer with its files and its most recent downloads. Throws AppError `transfer_not_found`. */
export async function getTransfer({ db, clock }: Context, owned: Owned): Promise<TransferDetail> {
  const row = await findReadyTransfer(db, owned);
  if (!row) throw new AppError('transfer_not_found');
  const [files, downloads] = await Promise.all([listFiles(db, row.id), listRecentDownloads(db, row.id)]);
  return {
    ...presentTransfer(row, clock.now()),
    files: files.map((file) => presentFile(file, row.zipCount)),
    downloads: downloads.map(presentDownload),
  };
}

/** At once gone for everybody, bytes soon after. Throws AppError `transfer_not_found`. */
export async function deleteTransfer({ db, wakeWorker }: Context, owned: Owned): Promise<void> {
  await transaction(db, async (trx) => {
    const removed = (await ownsTransfer(trx, owned)) && (await removeTransfer(trx, owned.transferId));
    if (!removed) throw new AppError('transfer_not_found');
  });
  wakeWorker();
}
