import { isStorableText } from '../../../contracts/values/fields.ts';
import { AppError } from './app-error.ts';

/** Null sorts last. */
export type SortKey = string | number | null;

export type Position = { id: string; key: SortKey };

type Cut = {
  sort: string;
  limit: number;
};

/** `rows` has one row more than the limit, if there are more. `nextCursor` is undefined on the last page. */
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

/** Throws AppError `invalid_input` if the cursor is malformed or was written for another sort order. */
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

/** '' for text that cannot be stored; it is not a valid cursor. */
function decode(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return isStorableText(text) ? text : '';
}

function unknownCursor(): AppError {
  const message = 'This page of the list is unknown. Please start with the first one.';
  return new AppError('invalid_input', { message, errors: { cursor: message } });
}
