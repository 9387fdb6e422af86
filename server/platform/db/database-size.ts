import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Db, isSqlite } from './open.ts';

export type DatabaseSize = {
  bytes: number;
  /** SQLite's write-ahead log beside the file; undefined on PostgreSQL. */
  walBytes: number | undefined;
};

/** What the database takes up on its disk: SQLite's files, or PostgreSQL's tables and indexes. */
export async function measureDatabase(db: Db): Promise<DatabaseSize> {
  if (!isSqlite(db)) {
    const { rows } = await sql<{ bytes: string }>`
      select pg_database_size(current_database()) as bytes`.execute(db);
    return { bytes: Number(rows[0]!.bytes), walBytes: undefined };
  }
  const { rows } = await sql<{ file: string }>`
    select file from pragma_database_list where name = 'main'`.execute(db);
  const { file } = rows[0]!;
  return { bytes: await sizeOf(file), walBytes: await sizeOf(`${file}-wal`) };
}

/** 0 for a file that is not there. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
