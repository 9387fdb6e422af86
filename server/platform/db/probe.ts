import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { randomId } from '../lib/tokens.ts';
import { type Db, isSqlite } from './open.ts';
import { transaction } from './transaction.ts';

type DatabaseProbe = {
  /** 'SQLite 3.50.4', 'PostgreSQL 16.2' */
  engine: string;
  /** Epoch milliseconds; undefined if it is this machine's clock. */
  now: number | undefined;
};

/** Writes, reads and deletes a row. Throws on failure. */
export async function probeDatabase(db: Db): Promise<DatabaseProbe> {
  const key = `probe.${randomId()}`;
  await transaction(db, async (trx) => {
    await trx.insertInto('settings').values({ id: randomId(), key, value: key, updatedAt: 0 }).execute();
    const read = await trx.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
    if (read?.value !== key) throw new Error('The database returned a different value than was written.');
    await trx.deleteFrom('settings').where('key', '=', key).execute();
  });
  return isSqlite(db) ? describeSqlite(db) : describePostgres(db);
}

/** Epoch milliseconds; undefined on SQLite, which has only this machine's clock. */
export async function readDatabaseTime(db: Db): Promise<number | undefined> {
  if (isSqlite(db)) return undefined;
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from clock_timestamp())::float8 as seconds`.execute(db);
  return Math.round(Number(rows[0]!.seconds) * SECOND_MS);
}

async function describeSqlite(db: Db): Promise<DatabaseProbe> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  return { engine: `SQLite ${rows[0]!.version}`, now: undefined };
}

async function describePostgres(db: Db): Promise<DatabaseProbe> {
  const { rows } = await sql<{ version: string; seconds: number }>`
    select current_setting('server_version') as version,
           extract(epoch from clock_timestamp())::float8 as seconds`.execute(db);
  const { version, seconds } = rows[0]!;
  return { engine: `PostgreSQL ${version}`, now: Math.round(Number(seconds) * SECOND_MS) };
}

type DatabaseSize = {
  bytes: number;
  /** Undefined on PostgreSQL. */
  walBytes: number | undefined;
};

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

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
