import { setImmediate } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Position } from '../../lib/cursor.ts';
import { type Db, isSqlite } from '../open.ts';
import type { Database } from '../schema.ts';

/** A row of the list, and whether it is one of those looked for. */
export type ScannedRow = { id: string; sortKey: Position['key']; isWanted: number };

type Slices<Row extends ScannedRow> = {
  /** The next rows behind a place, in order; fewer than asked for are the last ones. */
  readSlice(after: Position | undefined, size: number): Promise<Row[]>;
  /** Whether nobody waits for the answer any more. */
  isGone?: () => boolean;
};

type Walk<Row extends ScannedRow> = Slices<Row> & {
  after: Position | undefined;
  /** How many are enough. */
  wanted: number;
};

const FIRST_SLICE = 100;
const LARGEST_SLICE = 4_000;
/** A slice takes about this long: on SQLite nobody else is served meanwhile. */
const SLICE_MS = 10;

/**
 * Finds the next rows of a list that no index narrows down, in order. Reads one slice after another, so that a
 * search for a rare word among a million rows never blocks the event loop for long.
 */
export async function walk<Row extends ScannedRow>({ after, wanted, ...slices }: Walk<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const slice of readSlices(slices, after)) {
    found.push(...slice.filter(({ isWanted }) => isWanted === 1));
    if (found.length >= wanted) break;
  }
  return found.slice(0, wanted);
}

/** Reads a list to its end in slices whose size adapts to what they cost. */
export async function* readSlices<Row extends ScannedRow>(
  { readSlice, isGone = () => false }: Slices<Row>,
  after: Position | undefined,
): AsyncGenerator<Row[]> {
  let place = after;
  for (let size = FIRST_SLICE; ; ) {
    const startedAt = performance.now();
    const slice = await readSlice(place, size);
    const milliseconds = performance.now() - startedAt;
    yield slice;
    const last = slice.at(-1);
    if (slice.length < size || !last || isGone()) return;
    place = { id: last.id, key: last.sortKey };
    const scale = Math.min(4, Math.max(0.25, SLICE_MS / milliseconds));
    size = Math.min(LARGEST_SLICE, Math.max(FIRST_SLICE / 4, Math.round(size * scale)));
  }
}

/**
 * Lists distinct values in order by finding each next one in an index. `select distinct` would read every row of a
 * value that occurs a million times.
 */
export async function listDistinct(
  { after, limit }: { after: string; limit: number },
  findNext: (previous: string) => Promise<string | undefined>,
): Promise<string[]> {
  const values: string[] = [];
  for (let next = await findNext(after); next !== undefined; next = await findNext(next)) {
    values.push(next);
    if (values.length === limit) break;
  }
  return values;
}

/** Searched in some ten milliseconds, also where each text has to be folded by JavaScript. */
const ROWS = 5_000;

/**
 * Conditions that together take in every row of a table, each of them a part that lies together on the disk: for
 * looking at all rows where no index helps. Between two parts everybody else has a turn, because SQLite works in
 * this very thread; PostgreSQL does not, and gets all rows in one part.
 */
export async function* listTableParts(db: Db, table: keyof Database): AsyncGenerator<Expression<SqlBool>> {
  if (!isSqlite(db)) {
    yield sql<SqlBool>`true`;
    return;
  }
  const rows = sql.table(table);
  const ends = await sql<{ first: number | null; last: number | null }>`
    select (select min(rowid) from ${rows}) as first, (select max(rowid) from ${rows}) as last`.execute(db);
  const { first, last } = ends.rows[0]!;
  if (first === null || last === null) return;
  for (let start = first; start <= last; start += ROWS) {
    yield sql<SqlBool>`${rows}.rowid between ${start} and ${start + ROWS - 1}`;
    await setImmediate();
  }
}
