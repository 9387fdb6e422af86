import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, type Transaction } from 'kysely';
import { openPool, PooledPostgresDialect } from './engines/postgres-dialect.ts';
import type { SlowStatementListener } from './engines/slow-statements.ts';
import { NodeSqliteAdapter, NodeSqliteDialect } from './engines/sqlite-dialect.ts';
import type { Database } from './schema.ts';

/** The database or a transaction: the parameter of query functions. */
export type Db = Kysely<Database>;

/** An open transaction: the parameter of functions whose writes must commit with the caller's. */
export type Trx = Transaction<Database>;

/**
 * Opens PostgreSQL if there is a `postgres://` URL, otherwise the SQLite file, whose folder must exist (`:memory:` for
 * tests). `migrateToLatest` creates the tables; `db.destroy()` closes the database. Throws if the file cannot be
 * opened. If a PostgreSQL server is down, the first query fails.
 */
export async function openDatabase(options: {
  url?: string;
  file: string;
  connections?: number;
  /** How long SQLite waits while another process writes. */
  patienceMs?: number;
  onSlow?: SlowStatementListener;
  /** Makes space on a full disk; returns true if a SQLite statement is worth a retry. */
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

/** A SQLite file that survives a crash of the process but not of the machine. */
export function openUnsyncedFile(file: string, onDiskFull?: () => boolean): Db {
  const database = openSqlite(file);
  database.exec('pragma synchronous = off');
  return new Kysely<Database>({ dialect: new NodeSqliteDialect(database, { onDiskFull }) });
}

/** For the few places where the engines need different SQL. */
export function isSqlite(db: Pick<Db, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof NodeSqliteAdapter;
}

function openSqlite(file: string): DatabaseSync {
  // Waiting here would block the whole process. Once open, the dialect waits without blocking.
  const database = new DatabaseSync(file, { timeout: 5_000 });
  // WAL: a writer doesn't block readers in other processes. FULL: commits survive a power cut.
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
  // SQLite's own `lower` and `like` only handle ASCII.
  database.function('fold_case', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
  return database;
}
