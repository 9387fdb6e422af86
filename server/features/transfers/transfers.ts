import type { z } from 'zod';
import { HELD_FILES_SHOWN } from '../../../contracts/transfers/held-files.ts';
import {
  type ListedTransfer,
  type ListTransfersQuery,
  TRANSFERS_PER_PAGE_MAX,
  type TransferDetail,
} from '../../../contracts/transfers/transfers.ts';
import type { Page } from '../../../contracts/values/paging.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import { removeTransfer, undoRemoval } from './lifecycle/deletion.ts';
import { type FilePage, listFilePage } from './lists/file-pages.ts';
import { findListExtras, NO_EXTRAS } from './lists/list-extras.ts';
import { type ListRequest, selectTransfers } from './lists/list-queries.ts';
import { isLongList, listInSlices } from './lists/long-list.ts';
import { listShownRecipients, recipientKey, type ShownRecipient } from './mails/recipients.ts';
import { presentDownload, presentRecipient, presentTransfer } from './presenter.ts';
import { findPublicTransfer, listHeldFiles, listRecentDownloads, ownsTransfer } from './queries.ts';

type Owned = { transferId: string; userId: string };

export async function getTransfer(
  context: Context,
  owned: Owned,
  firstFiles?: number,
): Promise<TransferDetail> {
  const { db, clock, geo } = context;
  const row = await findPublicTransfer(db, owned);
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
  const row = await findPublicTransfer(context.db, owned);
  if (!row) throw new AppError('transfer_not_found');
  return listFilePage(context, row, { cursor, whole: true });
}

/** Throws AppError `transfer_not_found`. */
export async function requireOwnTransfer({ db }: Pick<Context, 'db'>, owned: Owned) {
  const transfer = await findPublicTransfer(db, owned);
  if (!transfer) throw new AppError('transfer_not_found');
  return transfer;
}

function inListedOrder(recipients: ShownRecipient[], emails: string[]): ShownRecipient[] {
  const places = new Map(emails.map((email, place) => [recipientKey(email), place]));
  const placeOf = ({ emailKey }: ShownRecipient) => places.get(emailKey) ?? emails.length;
  return recipients.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** A job removes the bytes. Throws AppError `transfer_not_found`. */
export async function deleteTransfer(
  context: Context,
  owned: Owned,
  { isUndoable }: { isUndoable: boolean },
): Promise<void> {
  const { db } = context;
  const removal = { cause: 'deleted-by-owner', isUndoable } as const;
  await transaction(db, async (trx) => {
    const removed =
      (await ownsTransfer(trx, owned)) &&
      (await removeTransfer({ ...context, db: trx }, owned.transferId, removal));
    if (!removed) throw new AppError('transfer_not_found');
  });
}

/** Undoes a deletion. Throws AppError `transfer_not_found`, `undo_too_late`. */
export function restoreTransfer(context: Context, owned: Owned): Promise<void> {
  return transaction(context.db, (trx) => undoRemoval({ ...context, db: trx }, owned));
}

type Query = z.output<typeof ListTransfersQuery>;

/** Throws AppError `invalid_input` for an unknown cursor. */
export async function listTransfers(
  context: Context,
  owner: Pick<UserRow, 'id' | 'tier'>,
  query: Query,
): Promise<Page<ListedTransfer>> {
  const { sort = 'newest', search, state, origin, limit = TRANSFERS_PER_PAGE_MAX, cursor } = query;
  const { db, clock } = context;
  const now = clock.now();
  const after = readCursor(cursor, sort, { isText: sort === 'title' });
  const request: ListRequest = {
    userId: owner.id,
    now,
    sort,
    search,
    state,
    origin,
    after,
    limit: limit + 1,
  };
  const rows = await ((await isLongList(db, request))
    ? listInSlices(db, request)
    : selectTransfers(db, request));
  const { shown, nextCursor } = cutPage(rows, { sort, limit });
  const ids = shown.map(({ id }) => id);
  const extras = await findListExtras(db, ids, { ownerTier: owner.tier });
  const items = shown.map((row) => ({ ...presentTransfer(row, now), ...(extras.get(row.id) ?? NO_EXTRAS) }));
  return { items, nextCursor };
}
