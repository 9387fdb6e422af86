import type { z } from 'zod';
import { isStorableText } from '../../../contracts/common.ts';
import {
  type ListTransfersQuery,
  listTransfers as listTransfersCall,
  type Transfer,
  type TransferSort,
} from '../../../contracts/transfers.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type Position, selectTransfers } from './list-queries.ts';
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
  const after = cursor === undefined ? undefined : readCursor(cursor, sort);
  // One more than asked for tells whether there is a next page.
  const wanted = limit === undefined ? undefined : limit + 1;
  const rows = await selectTransfers(db, { userId, now, sort, search, state, after, limit: wanted });
  const shown = rows.slice(0, limit);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  return {
    transfers: shown.map((row) => presentTransfer(row, now)),
    next: last && pathOf({ ...query, cursor: writeCursor(sort, { id: last.id, key: last.sortKey }) }),
  };
}

function pathOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, String(value));
  return `${listTransfersCall.path}?${search}`;
}

/** Where a page ends: how it was sorted, the last one's id and, unless it has none, what it was sorted by. */
function writeCursor(sort: TransferSort, { id, key }: Position): string {
  const words = key === null ? [sort, id] : [sort, id, key];
  return Buffer.from(words.join('.')).toString('base64url');
}

const CURSOR = /^(?<sort>[a-z]+)\.(?<id>[0-9a-z]{26})(?:\.(?<key>.*))?$/su;
const WHOLE_NUMBER = /^\d{1,15}$/;

function readCursor(cursor: string, sort: TransferSort): Position {
  const { sort: writtenFor, id, key = null } = CURSOR.exec(decode(cursor))?.groups ?? {};
  if (id === undefined || writtenFor !== sort) throw unknownCursor();
  if (key === null) return { id, key };
  if (sort === 'title') return { id, key };
  if (!WHOLE_NUMBER.test(key)) throw unknownCursor();
  return { id, key: Number(key) };
}

/** An empty text, which no cursor is, for what cannot have been one. */
function decode(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return isStorableText(text) ? text : '';
}

function unknownCursor(): AppError {
  const message = 'This page of the list is unknown. Please start with the first one.';
  return new AppError('invalid_input', { message, errors: { cursor: message } });
}
