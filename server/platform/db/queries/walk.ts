import { setImmediate } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Position } from '../../lib/cursor.ts';
import { type Db, isSqlite } from '../open.ts';
import type { Database } from '../schema.ts';

export type ScannedRow = { id: string; sortKey: Position['key']; isWanted: number };

type Slices<Row extends ScannedRow> = {
  /** In order. Fewer than `size` rows mean the end of the list. */
  readSlice(after: Position | undefined, size: number): Promise<Row[]>;
  /** The caller has disconnected. */
  isGone?: () => boolean;
};

type Walk<Row extends ScannedRow> = Slices<Row> & {
  after: Position | undefined;
  wanted: number;
};

const FIRST_SLICE = 100;
const LARGEST_SLICE = 4_000;
/** The target duration of a slice, which blocks other requests on SQLite. */
const SLICE_MS = 10;

/**
 * Filters a list in order where no index helps, in slices, so that searching a million rows doesn't block the
 * event loop.
 */
export async function walk<Row extends ScannedRow>({ after, wanted, ...slices }: Walk<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const slice of readSlices(slices, after)) {
    found.push(...slice.filter(({ isWanted }) => isWanted === 1));
    if (found.length >= wanted) break;
  }
  return found.slice(0, wanted);
}

/** The slice size adapts to how long slices take. */
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

/** Finds each next value in an index, in order. `select distinct` would read every row. */
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

/** About ten milliseconds, even if JavaScript has to fold the case of each text. */
const ROWS = 5_000;

/**
 * Yields conditions that together cover every row, for scans without an index. Each covers rows that are
 * adjacent on disk. On SQLite it yields to the event loop between parts; PostgreSQL gets a single part.
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
