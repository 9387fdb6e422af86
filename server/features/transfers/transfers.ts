import type { z } from 'zod';
import { HELD_FILES_SHOWN } from '../../../contracts/transfers/held-files.ts';
import {
  type ListTransfersQuery,
  TRANSFERS_PER_PAGE_MAX,
  type Transfer,
  type TransferDetail,
} from '../../../contracts/transfers/transfers.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import { removeTransfer } from './lifecycle/deletion.ts';
import { type FilePage, listFilePage } from './lists/file-pages.ts';
import { type ListRequest, selectTransfers } from './lists/list-queries.ts';
import { isLongList, listInSlices } from './lists/long-list.ts';
import { listShownRecipients, recipientKey, type ShownRecipient } from './mails/recipients.ts';
import { presentDownload, presentRecipient, presentTransfer } from './presenter.ts';
import { findReadyTransfer, listHeldFiles, listRecentDownloads, ownsTransfer } from './queries.ts';

type Owned = { transferId: string; userId: string };

export async function getTransfer(
  context: Context,
  owned: Owned,
  firstFiles?: number,
): Promise<TransferDetail> {
  const { db, clock, geo } = context;
  const row = await findReadyTransfer(db, owned);
  if (!row) throw new AppError('transfer_not_found');
  const transfer = presentTransfer(row, clock.now());
  const [page, recipients, downloads, heldFiles] = await Promise.all([
    listFilePage(context, row, { cursor: undefined, limit: firstFiles, whole: true }),
    listShownRecipients(db, row.id),
    listRecentDownloads(db, row.id),
    row.scanState === null ? [] : listHeldFiles(db, row.id, HELD_FILES_SHOWN),
  ]);
  return {
    ...transfer,
    ...page,
    heldFiles,
    recipients: inListedOrder(recipients, transfer.recipientEmails).map(presentRecipient),
    downloads: downloads.map((download) => presentDownload(download, geo)),
  };
}

export async function listOwnFiles(
  context: Context,
  owned: Owned,
  cursor: string | undefined,
): Promise<FilePage> {
  const row = await findReadyTransfer(context.db, owned);
  if (!row) throw new AppError('transfer_not_found');
  return listFilePage(context, row, { cursor, whole: true });
}

function inListedOrder(recipients: ShownRecipient[], emails: string[]): ShownRecipient[] {
  const places = new Map(emails.map((email, place) => [recipientKey(email), place]));
  const placeOf = ({ emailKey }: ShownRecipient) => places.get(emailKey) ?? emails.length;
  return recipients.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** A job removes the bytes. */
export async function deleteTransfer(context: Context, owned: Owned): Promise<void> {
  const { db } = context;
  await transaction(db, async (trx) => {
    const removed =
      (await ownsTransfer(trx, owned)) &&
      (await removeTransfer({ ...context, db: trx }, owned.transferId, { cause: 'deleted-by-owner' }));
    if (!removed) throw new AppError('transfer_not_found');
  });
}

type Query = z.output<typeof ListTransfersQuery>;

/** Throws AppError `invalid_input` for an unknown cursor. */
export async function listTransfers(
  { db, clock }: Context,
  userId: string,
  query: Query,
): Promise<Page<Transfer>> {
  const { sort = 'newest', search, state, limit = TRANSFERS_PER_PAGE_MAX, cursor } = query;
  const now = clock.now();
  const after = readCursor(cursor, sort, { isText: sort === 'title' });
  const request: ListRequest = { userId, now, sort, search, state, after, limit: limit + 1 };
  const rows = await ((await isLongList(db, request))
    ? listInSlices(db, request)
    : selectTransfers(db, request));
  const { shown, nextCursor } = cutPage(rows, { sort, limit });
  return { items: shown.map((row) => presentTransfer(row, now)), nextCursor };
}
