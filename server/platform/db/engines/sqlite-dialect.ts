import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely';
import { type AppError, isAppError } from '../../lib/app-error.ts';
import { Checkpoints } from './checkpoints.ts';
import { isRetryable, markRetryable, translateSqliteError } from './errors.ts';
import { toBindable } from './parameters.ts';
import { reportStatement, type SlowStatementListener } from './slow-statements.ts';

/** Preparing a statement costs as much as running it. */
const PREPARED_STATEMENTS = 500;

const PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 20;

/** Statements run in the JavaScript thread, so yield to the event loop after this long. */
const LONGEST_TURN_MS = 15;

type ConnectionOptions = {
  /** How long a statement waits while another process writes. */
  patienceMs?: number | undefined;
  onSlow?: SlowStatementListener | undefined;
  /** Returns true if a retry is worthwhile. */
  onDiskFull?: (() => boolean) | undefined;
  /** Copies the write-ahead log into the database in another thread. */
  checkpointsInThread?: boolean | undefined;
};

/** One connection, so one transaction at a time per process. */
export class NodeSqliteDialect implements Dialect {
  readonly #database: DatabaseSync;
  readonly #gate = new TransactionGate();
  readonly #version: DatabaseVersion;
  readonly #options: ConnectionOptions;

  constructor(database: DatabaseSync, options: ConnectionOptions = {}) {
    this.#database = database;
    this.#version = new DatabaseVersion(database);
    this.#options = options;
  }

  createDriver(): Driver {
    return new ImmediateSqliteDriver(this.#database, this.#gate, this.#version, this.#options);
  }

  createAdapter(): DialectAdapter {
    return new NodeSqliteAdapter(this.#gate, this.#version);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

class TransactionGate {
  readonly #current = new AsyncLocalStorage<{ open: boolean }>();

  isInside(): boolean {
    return this.#current.getStore()?.open ?? false;
  }

  async run<T>(body: () => Promise<T>): Promise<T> {
    const transaction = { open: true };
    try {
      return await this.#current.run(transaction, body);
    } finally {
      // Work that the body left running (a timer) inherits the async store but is outside the transaction.
      transaction.open = false;
    }
  }
}

export class NodeSqliteAdapter extends SqliteAdapter {
  readonly gate: TransactionGate;
  readonly version: DatabaseVersion;

  constructor(gate: TransactionGate, version: DatabaseVersion) {
    super();
    this.gate = gate;
    this.version = version;
  }

  /** Kysely's default is false, but SQLite rolls back schema changes like any others. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * SQLite's `data_version` changes with the commits of other connections only, and `total_changes()` with the
 * rows that this connection writes, so together they cover every write. Neither covers schema changes by this
 * connection, which are made before the server answers requests. The number is read once per turn of the event
 * loop, and again after each statement of this connection: the requests of one turn had arrived when it began, so
 * nobody can have been told of a later write.
 */
class DatabaseVersion {
  readonly #database: DatabaseSync;
  #commits: StatementSync | undefined;
  #changes: StatementSync | undefined;
  #seenCommits: unknown;
  #seenChanges: unknown;
  #version = 0;
  #isCurrent = false;
  readonly #expire = () => {
    this.#isCurrent = false;
  };

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Makes the next `read` ask the database. */
  expire(): void {
    this.#expire();
  }

  read(): number | undefined {
    if (this.#isCurrent) return this.#version;
    try {
      this.#commits ??= prepareValue(this.#database, 'pragma data_version');
      this.#changes ??= prepareValue(this.#database, 'select total_changes()');
      const commits = this.#commits.get()![0];
      const changes = this.#changes.get()![0];
      if (commits !== this.#seenCommits || changes !== this.#seenChanges) {
        this.#seenCommits = commits;
        this.#seenChanges = changes;
        this.#version += 1;
      }
      this.#isCurrent = true;
      setImmediate(this.#expire);
      return this.#version;
    } catch {
      // The file is busy or closed.
      return undefined;
    }
  }
}

/** Rows as arrays cost a third less than objects. */
function prepareValue(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #gate: TransactionGate;
  readonly #version: DatabaseVersion;
  readonly #options: ConnectionOptions;
  readonly #checkpoints: Checkpoints | undefined;
  #patient: PatientConnection | undefined;

  constructor(
    database: DatabaseSync,
    gate: TransactionGate,
    version: DatabaseVersion,
    options: ConnectionOptions,
  ) {
    super({ database: withStatementCache(database) });
    this.#database = database;
    this.#gate = gate;
    this.#version = version;
    this.#options = options;
    if (options.checkpointsInThread) this.#checkpoints = new Checkpoints(database);
  }

  override async init(): Promise<void> {
    await super.init();
    this.#checkpoints?.start();
  }

  override async destroy(): Promise<void> {
    await this.#checkpoints?.stop();
    await super.destroy();
  }

  /** A query outside the transaction that its own caller has open would deadlock: throw. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#gate.isInside()) {
      throw new Error('Inside a transaction, run queries on its handle (trx) instead of db.');
    }
    const connection = await super.acquireConnection();
    this.#patient ??= new PatientConnection(connection, this.#database, this.#version, this.#options);
    return this.#patient;
  }

  /** SQLite cannot wait for the write lock at the first write, so acquire it at the start. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** On a full disk SQLite rolls back by itself; a second rollback would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }
}

/**
 * Waits asynchronously while another process writes, because SQLite's own waiting would block all requests. A
 * statement that found the file busy has done nothing and is run again.
 */
class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #database: DatabaseSync;
  readonly #version: DatabaseVersion;
  readonly #options: ConnectionOptions;
  readonly #turn = new Turn();

  constructor(
    connection: DatabaseConnection,
    database: DatabaseSync,
    version: DatabaseVersion,
    options: ConnectionOptions,
  ) {
    this.#connection = connection;
    this.#database = database;
    this.#version = version;
    this.#options = options;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Promises that resolve synchronously never yield, so a job's statements would run without a pause.
    if (this.#turn.isOver()) await yieldToEventLoop();
    const { patienceMs = PATIENCE_MS } = this.#options;
    const since = performance.now();
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const isInTransaction = this.#database.isTransaction;
      try {
        return await this.#run<R>(query);
      } catch (error) {
        if (this.#hasMadeSpace(error)) {
          if (!isInTransaction) continue;
          // SQLite may have rolled back, so `transaction` must rerun all of it.
          markRetryable(error);
          throw error;
        }
        if (!isRetryable(error) || performance.now() - since >= patienceMs) throw error;
      }
      await sleep(Math.ceil(Math.random() * pause));
    }
  }

  #run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const startedAt = performance.now();
    try {
      return this.#connection.executeQuery<R>(query);
    } finally {
      this.#version.expire();
      reportStatement(query, startedAt, this.#options.onSlow);
    }
  }

  #hasMadeSpace(error: unknown): error is AppError {
    return isAppError(error, 'storage_full') && this.#options.onDiskFull?.() === true;
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    this.#version.expire();
    return this.#connection.streamQuery<R>(query, chunkSize);
  }
}

/** Measures how long statements have run without returning to the event loop. */
class Turn {
  #startedAt: number | undefined;

  isOver(): boolean {
    const now = performance.now();
    if (this.#startedAt === undefined) {
      this.#startedAt = now;
      setImmediate(() => {
        this.#startedAt = undefined;
      });
    }
    return now - this.#startedAt >= LONGEST_TURN_MS;
  }
}

function withStatementCache(database: DatabaseSync): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = cache.get(sql) ?? toKyselyStatement(prepare(database, sql));
      // Reinsert as the newest; the oldest is evicted first.
      cache.delete(sql);
      cache.set(sql, statement);
      if (cache.size > PREPARED_STATEMENTS) cache.delete(cache.keys().next().value!);
      return statement;
    },
  };
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  try {
    return database.prepare(sql);
  } catch (error) {
    throw translateSqliteError(error);
  }
}

function toKyselyStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => translated(() => statement.all(...toBindableIntegers(parameters))),
    run: (parameters) => translated(() => statement.run(...toBindableIntegers(parameters))),
    iterate: (parameters) => translated(() => statement.iterate(...toBindableIntegers(parameters))),
  };
}

/** Binds numbers as integers, so that division and concatenation behave as on PostgreSQL. */
function toBindableIntegers(parameters: readonly unknown[]): (string | bigint | null | Uint8Array)[] {
  return toBindable(parameters).map((value) => (typeof value === 'number' ? BigInt(value) : value));
}

function translated<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translateSqliteError(error);
  }
}
