import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import { openPool, PooledPostgresDialect } from './engines/postgres-dialect.ts';
import type { SlowStatementListener } from './engines/slow-statements.ts';
import { NodeSqliteAdapter, NodeSqliteDialect } from './engines/sqlite-dialect.ts';
import type { Database } from './schema.ts';

/** The database or a transaction. */
export type Db = Kysely<Database>;

/** For functions whose writes must commit with the caller's. */
export type Trx = Transaction<Database>;

/**
 * Opens PostgreSQL if there is a `postgres://` URL, otherwise the SQLite file, whose folder must exist.
 * Doesn't create tables. Throws if the file cannot be opened; if a PostgreSQL server is down, the first query
 * fails.
 */
export async function openDatabase(options: {
  url?: string;
  file: string;
  connections?: number;
  /** Open connections to `url`, used instead of new ones. `destroy` ends the pool. */
  pool?: Pool;
  patienceMs?: number;
  onSlow?: SlowStatementListener;
  /** SQLite only. Returns true if a retry is worthwhile. */
  onDiskFull?: (() => boolean) | undefined;
  /** SQLite only. For a server: copying the log into a large database would block its requests. */
  checkpointsInThread?: boolean;
}): Promise<Db> {
  const { url, file, connections, pool, patienceMs, onSlow, onDiskFull, checkpointsInThread } = options;
  const dialect = url
    ? new PooledPostgresDialect(pool ?? openPool(url, connections), onSlow)
    : new NodeSqliteDialect(openSqlite(file), { patienceMs, onSlow, onDiskFull, checkpointsInThread });
  return new Kysely<Database>({ dialect });
}

/**
 * Takes no locks and creates no files, so the folder may be read-only. Nothing else may write to the file
 * meanwhile.
 */
export async function openReadOnlyFile(file: string): Promise<Db> {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'ro');
  url.searchParams.set('immutable', '1');
  const dialect = new NodeSqliteDialect(new DatabaseSync(url, { readOnly: true }));
  const db = new Kysely<Database>({ dialect });
  // Kysely's `destroy` closes nothing before the first connection.
  await db.connection().execute(async () => undefined);
  return db;
}

/** A SQLite file that survives a crash of the process but not of the machine. */
export function openUnsyncedFile(file: string, onDiskFull?: () => boolean): Db {
  const database = openSqlite(file);
  database.exec('pragma synchronous = off');
  return new Kysely<Database>({ dialect: new NodeSqliteDialect(database, { onDiskFull }) });
}

export function isSqlite(db: Pick<Db, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof NodeSqliteAdapter;
}

/**
 * A number that has changed if any process has committed a write since an earlier call, so results of reads
 * between two equal numbers are still true. Costs about as much as one short statement, without waiting for
 * open transactions. Undefined on PostgreSQL, where it would take a round trip, and while the file is busy.
 */
export function readDatabaseVersion(db: Pick<Db, 'getExecutor'>): number | undefined {
  const { adapter } = db.getExecutor();
  return adapter instanceof NodeSqliteAdapter ? adapter.version.read() : undefined;
}

function openSqlite(file: string): DatabaseSync {
  // Blocks the process, but only while opening.
  const database = new DatabaseSync(file, { timeout: 5_000 });
  // FULL: commits survive a power cut.
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma cache_size = -32000;
    pragma temp_store = memory;
    pragma mmap_size = 67108864;
    pragma journal_size_limit = 67108864;
    pragma busy_timeout = 0;
  `);
  // SQLite's own `lower` and `like` only fold ASCII.
  database.function('fold_case', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
  return database;
}
