import type { Unreadable } from '../source.ts';

/** A row of a foreign database. Nothing in it is trusted. */
export type ForeignRow = Record<string, unknown>;

class RowProblem extends Error {}

/** Yields what `read` makes of each row; a row it cannot read is reported and skipped. */
export function* readRows<T>(
  rows: Iterable<ForeignRow>,
  idOf: (row: ForeignRow) => unknown,
  read: (row: ForeignRow) => T,
): Generator<T | Unreadable> {
  for (const row of rows) {
    try {
      yield read(row);
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      yield { id: String(idOf(row) ?? '?').slice(0, 100), unreadable: error.message };
    }
  }
}

export function text(row: ForeignRow, column: string): string {
  const value = optionalText(row, column);
  if (value === null || value === '') throw new RowProblem(`${column} is empty`);
  return value;
}

export function optionalText(row: ForeignRow, column: string): string | null {
  const value = row[column];
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') throw new RowProblem(`${column} is not text`);
  // PostgreSQL cannot store NUL and lone surrogates.
  return value.toWellFormed().replaceAll('\0', '');
}

/** Longer than any id, alias or token of these products. */
const ID_MAX = 200;

export function identifier(row: ForeignRow, column: string): string {
  const value = text(row, column);
  if (value.length > ID_MAX) throw new RowProblem(`${column} is too long`);
  return value;
}

export function optionalIdentifier(row: ForeignRow, column: string): string | null {
  return optionalText(row, column) ? identifier(row, column) : null;
}

export function integer(row: ForeignRow, column: string): number {
  const value = optionalInteger(row, column);
  if (value === null) throw new RowProblem(`${column} is empty`);
  return value;
}

export function optionalInteger(row: ForeignRow, column: string): number | null {
  const value = row[column];
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RowProblem(`${column} is not a whole number`);
  return number;
}

export function flag(row: ForeignRow, column: string): boolean {
  const value = row[column];
  return value === true || value === 'true' || Number(value ?? 0) === 1;
}

const LAST_INSTANT = Date.UTC(9999, 11, 31);

/**
 * In epoch milliseconds. Prisma stores DateTime in SQLite as epoch milliseconds, and older releases and defaults of the
 * database as text in UTC; MySQL dumps have text, too.
 */
export function optionalInstant(row: ForeignRow, column: string): number | null {
  const value = row[column];
  if (value === null || value === undefined || value === '') return null;
  const instant = typeof value === 'string' && !/^\d+$/.test(value) ? parseInstant(value) : Number(value);
  if (!Number.isSafeInteger(instant) || instant < 0 || instant > LAST_INSTANT)
    throw new RowProblem(`${column} is not a date`);
  return instant;
}

function parseInstant(value: string): number {
  const isPlain = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value);
  return Date.parse(isPlain ? `${value.replace(' ', 'T')}Z` : value);
}
