import { isStorableText } from '../../../contracts/values/fields.ts';
import { AppError } from './app-error.ts';

/** The value a list is sorted by; null comes last. */
export type SortKey = string | number | null;

/** Where a page ends: the last row's id and sort key. */
export type Position = { id: string; key: SortKey };

type Cut = {
  sort: string;
  /** The most rows per page; undefined: all. */
  limit: number | undefined;
};

/**
 * Cuts a page from rows, of which one more than the limit was read. `nextCursor` is undefined on the last page.
 */
export function cutPage<Row extends { id: string; sortKey: SortKey }>(
  rows: Row[],
  { sort, limit }: Cut,
): { shown: Row[]; nextCursor: string | undefined } {
  const shown = rows.slice(0, limit);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  return { shown, nextCursor: last && writeCursor(sort, { id: last.id, key: last.sortKey }) };
}

export function writeCursor(sort: string, { id, key }: Position): string {
  const words = key === null ? [sort, id] : [sort, id, key];
  return Buffer.from(words.join('.')).toString('base64url');
}

const CURSOR = /^(?<sort>[a-z]+)\.(?<id>[0-9a-z]{26}|[0-9a-f-]{36})(?:\.(?<key>.*))?$/su;
const WHOLE_NUMBER = /^\d{1,16}$/;

/**
 * Parses a cursor written by `cutPage`; undefined for none. Throws AppError `invalid_input` if it is malformed or was
 * written for another sort order. The key is a whole number unless `isText`.
 */
export function readCursor(
  cursor: string | undefined,
  sort: string,
  { isText = false } = {},
): Position | undefined {
  if (cursor === undefined) return undefined;
  const { sort: writtenFor, id, key = null } = CURSOR.exec(decode(cursor))?.groups ?? {};
  if (id === undefined || writtenFor !== sort) throw unknownCursor();
  if (key === null || isText) return { id, key };
  if (!WHOLE_NUMBER.test(key) || !Number.isSafeInteger(Number(key))) throw unknownCursor();
  return { id, key: Number(key) };
}

/** Returns '', which is not a valid cursor, for text that cannot be stored. */
function decode(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return isStorableText(text) ? text : '';
}

function unknownCursor(): AppError {
  const message = 'This page of the list is unknown. Please start with the first one.';
  return new AppError('invalid_input', { message, errors: { cursor: message } });
}
