import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, type Transaction } from 'kysely';
import { openPool, PooledPostgresDialect } from './engines/postgres-dialect.ts';
import { NodeSqliteAdapter, NodeSqliteDialect } from './engines/sqlite-dialect.ts';
import type { Database } from './schema.ts';
import type { SlowStatementListener } from './slow-statements.ts';

/** The database, or a transaction in it: what a query function takes. */
export type Db = Kysely<Database>;

/** An open transaction: what a function takes whose writes must stand or fall with its caller's. */
export type Trx = Transaction<Database>;

/**
 * Opens PostgreSQL when there is a `postgres://` url, otherwise the SQLite file, whose folder must exist
 * (`:memory:` for tests). Tables are `migrateToLatest`'s matter; close with `db.destroy()`.
 * Throws when the file cannot be opened; a PostgreSQL server that is down shows at the first query.
 */
export async function openDatabase(options: {
  url?: string;
  file: string;
  /** To PostgreSQL, at most. */
  connections?: number;
  /** How long SQLite waits for another process that writes. */
  patienceMs?: number;
  onSlow?: SlowStatementListener;
  /** Makes space on a full disk; true when a statement of SQLite is worth trying again. */
  onDiskFull?: (() => boolean) | undefined;
}): Promise<Db> {
  const { url, file, connections, patienceMs, onSlow, onDiskFull } = options;
  const dialect = url
    ? new PooledPostgresDialect(openPool(url, connections), onSlow)
    : new NodeSqliteDialect(openSqlite(file), { patienceMs, onSlow, onDiskFull });
  return new Kysely<Database>({ dialect });
}

/**
 * Opens a SQLite file for reading only. It takes no locks and creates no files beside it, so the folder may be
 * read-only; nothing else may write to the file meanwhile.
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

/** A SQLite file for what is worth nothing after a crash of the machine: it survives that of a process. */
export function openUnsyncedFile(file: string, onDiskFull?: () => boolean): Db {
  const database = openSqlite(file);
  database.exec('pragma synchronous = off');
  return new Kysely<Database>({ dialect: new NodeSqliteDialect(database, { onDiskFull }) });
}

/** For the few places inside platform where the engines need different words. */
export function isSqlite(db: Pick<Db, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof NodeSqliteAdapter;
}

function openSqlite(file: string): DatabaseSync {
  // Waiting here would stop the whole process; once it is open, the dialect waits without.
  const database = new DatabaseSync(file, { timeout: 5_000 });
  // WAL: readers in other processes are not stopped by a writer. FULL: what is committed survives a power cut.
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
  // Its own `lower` and `like` know ASCII only.
  database.function('fold_case', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
  return database;
}
