import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type CreateIndexBuilder,
  type Kysely,
  type SchemaModule,
  sql,
  type Transaction,
} from 'kysely';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { systemClock, toIso } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import { isLockTimeout, isRetryable, isUniqueViolation } from './engines/errors.ts';
import { isSqlite } from './open.ts';

/** Runs in one transaction with the row that records it. */
type SchemaMigration = { up(db: Kysely<unknown>): Promise<void> };

/** From the schema builder's `createIndex(…)`, not executed. */
export type IndexBuilder = Pick<CreateIndexBuilder<never>, 'compile' | 'toOperationNode'>;

/**
 * PostgreSQL builds concurrently, outside a transaction, so that writers don't wait; SQLite uses one
 * statement each. After an interruption it continues with the first missing index.
 */
type IndexMigration = { indexes(schema: SchemaModule): IndexBuilder[] };

export type Migration = SchemaMigration | IndexMigration;

/** Run in name order. */
export type Migrations = Record<string, Migration>;

type RunOptions = {
  log?: Log | undefined;
  /** PostgreSQL only. */
  lockTimeoutMs?: number;
  /** Before a migration that found its tables locked runs again. */
  retryDelayMs?: number;
};

type Run = Required<RunOptions> & { db: Kysely<MigrationTables> };

type MigrationTables = {
  kysely_migration: { name: string; timestamp: string };
  kysely_migration_lock: { id: string; is_locked: number };
  pg_class: unknown;
};

/**
 * Shorter than PostgreSQL's deadlock_timeout (1 s), so that the migration is cancelled, not a server's query.
 * Queries queued behind its lock request wait this long at most.
 */
const LOCK_TIMEOUT_MS = 500;
const RETRY_DELAY_MS = 500;
const LONGEST_RETRY_DELAY_MS = 10 * SECOND_MS;
const POLL_MS = 200;
/** Between log lines about the same wait or build. */
const REPORT_MS = 10 * SECOND_MS;

const RUNNER_LOCK = '5061194120470031544';
/** Kysely's Migrator, used before 0012, holds this lock while it migrates. */
const KYSELY_LOCK = '3853314791062309107';

const SILENT: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => SILENT,
};

/**
 * Runs the pending migrations; can be killed at any moment. Of several processes one migrates and the others
 * wait. A migration that cannot get its locks in time rolls back and retries, so it never delays queries
 * longer than the lock timeout. Throws a migration's errors.
 */
export async function runMigrations(
  db: Kysely<never>,
  migrations: Migrations,
  { log = SILENT, lockTimeoutMs = LOCK_TIMEOUT_MS, retryDelayMs = RETRY_DELAY_MS }: RunOptions = {},
): Promise<void> {
  const names = Object.keys(migrations).sort();
  // One connection for the lock and the work under it, so that both are lost together.
  await (db as unknown as Kysely<MigrationTables>).connection().execute(async (connection) => {
    const run = { db: connection, log, lockTimeoutMs, retryDelayMs };
    const pendingBefore = await listPending(run, names);
    if (pendingBefore.length === 0) return;
    await whileLocked(run, async () => {
      await createMigrationTables(run);
      // Another process may have migrated while this one waited.
      const pending = await listPending(run, names);
      const isNew = pending.length === names.length;
      const startedAt = performance.now();
      for (const name of pending)
        await runOne(isNew ? { ...run, log: SILENT } : run, name, migrations[name]!);
      if (pending.length > 0)
        log.info(
          { migrations: pending.length, seconds: secondsSince(startedAt) },
          'The database is up to date',
        );
    });
  });
}

/** Unordered; empty if there are no tables. */
export async function listExecuted(db: Kysely<never>): Promise<string[]> {
  const connection = db as unknown as Kysely<MigrationTables>;
  // Kysely's introspection would describe every column of every table at each start.
  const { rows: tables } = await (isSqlite(connection)
    ? sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`
    : sql`select 1 where to_regclass('kysely_migration') is not null`
  ).execute(connection);
  if (tables.length === 0) return [];
  const rows = await connection.selectFrom('kysely_migration').select('name').execute();
  return rows.map(({ name }) => name);
}

async function listPending({ db }: Run, names: string[]): Promise<string[]> {
  const executed = new Set(await listExecuted(db as unknown as Kysely<never>));
  return names.filter((name) => !executed.has(name));
}

/**
 * Polls for the lock: a session blocked on it would hold a snapshot, and a concurrent index build waits for
 * all older snapshots, so the two would deadlock.
 */
async function whileLocked(run: Run, body: () => Promise<void>): Promise<void> {
  // On SQLite each migration takes the file's write lock, then checks whether it is still pending.
  if (isSqlite(run.db)) return body();
  const waiting = new Waiting(run.log, 'Waiting for another process that migrates the database');
  // Index builds, and waiting for them, may exceed the server's limit.
  await sql`set statement_timeout = 0`.execute(run.db);
  try {
    while (!(await tryLock(run.db, sql`pg_try_advisory_lock(${sql.lit(RUNNER_LOCK)}::bigint)`))) {
      waiting.report();
      await sleep(POLL_MS);
    }
    await body();
  } finally {
    // A lost connection has released its locks.
    await sql`select pg_advisory_unlock_all()`.execute(run.db).catch(() => {});
    await sql`reset statement_timeout`.execute(run.db).catch(() => {});
  }
}

/** Earlier versions read the tables of Kysely's Migrator. */
async function createMigrationTables({ db }: Run): Promise<void> {
  await ignoreCreateRace(() =>
    db.schema
      .createTable('kysely_migration')
      .ifNotExists()
      .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
      .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
      .execute(),
  );
  await ignoreCreateRace(() =>
    db.schema
      .createTable('kysely_migration_lock')
      .ifNotExists()
      .addColumn('id', 'varchar(255)', (column) => column.notNull().primaryKey())
      .addColumn('is_locked', 'integer', (column) => column.notNull().defaultTo(0))
      .execute(),
  );
}

/** On PostgreSQL `if not exists` may fail if an earlier version creates the table concurrently. */
async function ignoreCreateRace(create: () => Promise<void>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
}

async function runOne(run: Run, name: string, migration: Migration): Promise<void> {
  const startedAt = performance.now();
  if ('indexes' in migration) {
    for (const index of migration.indexes(run.db.schema)) await buildIndex(run, name, index);
    await untilUnlocked(run, name, () => record(run.db, name));
  } else {
    await untilUnlocked(run, name, () => runInTransaction(run, name, migration));
  }
  run.log.info({ migration: name, seconds: secondsSince(startedAt) }, 'A migration is complete');
}

async function runInTransaction(run: Run, name: string, { up }: SchemaMigration): Promise<void> {
  await run.db.transaction().execute(async (trx) => {
    if (!isSqlite(run.db)) {
      await sql`set local lock_timeout = ${sql.lit(run.lockTimeoutMs)}`.execute(trx);
      const isFree = await tryLock(trx, sql`pg_try_advisory_xact_lock(${sql.lit(KYSELY_LOCK)}::bigint)`);
      if (!isFree) throw new OtherMigratorError();
    }
    const done = await trx.selectFrom('kysely_migration').where('name', '=', name).select('name').execute();
    if (done.length > 0) return;
    await up(trx as unknown as Transaction<unknown>);
    await record(trx, name);
  });
}

class OtherMigratorError extends Error {}

async function untilUnlocked(
  { log, retryDelayMs }: Run,
  migration: string,
  attempt: () => Promise<void>,
): Promise<void> {
  for (let delay = retryDelayMs; ; delay = Math.min(2 * delay, LONGEST_RETRY_DELAY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      const isBusy = error instanceof OtherMigratorError || isLockTimeout(error) || isRetryable(error);
      if (!isBusy) throw error;
      log.warn({ migration, retryInMs: delay }, 'A migration could not lock its tables in time; retrying');
    }
    await sleep(delay);
  }
}

/**
 * Earlier versions refuse to start unless timestamps and names have the same order, so a timestamp is never
 * before the newest existing one.
 */
async function record(db: Kysely<MigrationTables>, name: string): Promise<void> {
  const now = toIso(systemClock.now());
  const newest = await db
    .selectFrom('kysely_migration')
    .select(({ fn }) => fn.max('timestamp').as('timestamp'))
    .executeTakeFirst();
  const timestamp = newest?.timestamp && newest.timestamp > now ? newest.timestamp : now;
  await db
    .insertInto('kysely_migration')
    .values({ name, timestamp })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

async function buildIndex(run: Run, migration: string, builder: IndexBuilder): Promise<void> {
  const index = builder.toOperationNode().name.name;
  const startedAt = performance.now();
  run.log.info({ migration, index }, 'Building an index');
  const building = new Waiting(run.log, 'Still building an index', { migration, index });
  const timer = setInterval(() => building.report(), REPORT_MS);
  try {
    await untilUnlocked(run, migration, () =>
      isSqlite(run.db)
        ? execute(run.db, toIdempotentSql(builder))
        : buildConcurrently(run.db, index, toIdempotentSql(builder, 'concurrently ')),
    );
  } finally {
    clearInterval(timer);
  }
  run.log.info({ migration, index, seconds: secondsSince(startedAt) }, 'Index built');
}

/**
 * A failed or killed build leaves an invalid index, which costs writes, serves no query, and satisfies `if
 * not exists`: drop it first.
 */
async function buildConcurrently(
  db: Kysely<MigrationTables>,
  index: string,
  statement: string,
): Promise<void> {
  const dropInvalid = async () => {
    if (await isInvalid(db, index)) await sql`drop index concurrently if exists ${sql.id(index)}`.execute(db);
  };
  await dropInvalid();
  try {
    await execute(db, statement);
  } catch (error) {
    await dropInvalid().catch(() => {});
    throw error;
  }
}

async function isInvalid(db: Kysely<MigrationTables>, index: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_index join pg_class on pg_class.oid = pg_index.indexrelid
    where pg_class.relname = ${index} and pg_table_is_visible(pg_class.oid) and not pg_index.indisvalid`.execute(
    db,
  );
  return rows.length > 0;
}

function toIdempotentSql(builder: IndexBuilder, how = ''): string {
  const { sql: text } = builder.compile();
  return text.replace(/^create (unique )?index (if not exists )?/, `create $1index ${how}if not exists `);
}

async function execute(db: Kysely<MigrationTables>, text: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(text));
}

async function tryLock(db: Kysely<MigrationTables>, call: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select ${call} as taken`.execute(db);
  return rows[0]!.taken;
}

class Waiting {
  readonly #log: Log;
  readonly #message: string;
  readonly #fields: Record<string, unknown>;
  readonly #since = performance.now();
  #nextReportAt = 0;

  constructor(log: Log, message: string, fields: Record<string, unknown> = {}) {
    this.#log = log;
    this.#message = message;
    this.#fields = fields;
  }

  report(): void {
    if (performance.now() < this.#nextReportAt) return;
    this.#nextReportAt = performance.now() + REPORT_MS;
    this.#log.info({ ...this.#fields, seconds: secondsSince(this.#since) }, this.#message);
  }
}

function secondsSince(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10;
}
