import type { z } from 'zod';
import {
  type ListTransfersQuery,
  listTransfers as listTransfersCall,
  type Transfer,
} from '../../../contracts/transfers/transfers.ts';
import type { Context } from '../../context.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import { type ListRequest, selectTransfers } from './list-queries.ts';
import { isLongList, listInSlices } from './long-list.ts';
import { presentTransfer } from './presenter.ts';

type Query = z.output<typeof ListTransfersQuery>;

type TransferPage = {
  transfers: Transfer[];
  /** Path and query of the next page; undefined when this is the last. */
  next: string | undefined;
};

/**
 * The owner's transfers, the newest first unless told; drafts are not transfers yet. Without a limit all of
 * them. Throws AppError `invalid_input` for a cursor that is none of ours.
 */
export async function listTransfers(
  { db, clock }: Context,
  userId: string,
  query: Query,
): Promise<TransferPage> {
  const { sort = 'newest', search, state, limit, cursor } = query;
  const now = clock.now();
  const after = readCursor(cursor, sort, { isText: sort === 'title' });
  // One more than asked for tells whether there is a next page.
  const wanted = limit === undefined ? undefined : limit + 1;
  const request: ListRequest = { userId, now, sort, search, state, after, limit: wanted };
  const rows = await ((await isLongList(db, request))
    ? listInSlices(db, request)
    : selectTransfers(db, request));
  const { shown, next } = cutPage(rows, { path: listTransfersCall.path, query, sort, limit });
  return { transfers: shown.map((row) => presentTransfer(row, now)), next };
}
