import { setImmediate } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, isSqlite } from './open.ts';
import type { Database } from './schema.ts';

/** Searched in some ten milliseconds, also where each text has to be folded by JavaScript. */
const ROWS = 5_000;

/**
 * Conditions that together take in every row of a table, each of them a part that lies together on the disk: for
 * looking at all rows where no index helps. Between two parts everybody else has a turn, because SQLite works in
 * this very thread; PostgreSQL does not, and gets all rows in one part.
 */
export async function* partsOf(db: Db, table: keyof Database): AsyncGenerator<Expression<SqlBool>> {
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
