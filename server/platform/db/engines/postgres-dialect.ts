import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  sql,
  type TransactionSettings,
} from 'kysely';
import { Pool, types } from 'pg';
import { translatePostgresError } from './errors.ts';
import { toBindable } from './parameters.ts';
import { reportStatement, type SlowStatementListener } from './slow-statements.ts';

const INT8 = 20;
const NUMERIC = 1700;

export class PooledPostgresDialect extends PostgresDialect {
  readonly #pool: Pool;
  readonly #onSlow: SlowStatementListener | undefined;

  constructor(pool: Pool, onSlow?: SlowStatementListener) {
    super({ pool });
    this.#pool = pool;
    this.#onSlow = onSlow;
  }

  override createDriver(): Driver {
    return new TranslatingPostgresDriver(this.#pool, this.#onSlow);
  }

  override createAdapter(): DialectAdapter {
    return new PatientPostgresAdapter(this.#pool);
  }
}

/** Connects lazily, so a server that is down is not an error here. */
export function openPool(url: string, connections = 10): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    application_name: 'sendwell',
    types: { getTypeParser: (oid, format) => toNumberParser(oid) ?? types.getTypeParser(oid, format) },
  });
  // A restarting server closes idle connections too; an unhandled error event would end the process.
  pool.on('error', ignoreError);
  pool.on('connect', (client) => client.on('error', ignoreError));
  return pool;
}

/** Undefined on SQLite. */
export function poolStateOf(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
): { busy: number; idle: number; waiting: number } | undefined {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof PatientPostgresAdapter)) return undefined;
  const { totalCount, idleCount, waitingCount } = adapter.pool;
  return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** The running query gets the same error. */
function ignoreError(): void {}

/** int8 and numeric (the sum of int8s) arrive as text. */
function toNumberParser(oid: number): ((text: string) => number) | undefined {
  return oid === INT8 || oid === NUMERIC ? Number : undefined;
}

/** Migrations, and waiting for another process's migration, may take long. */
class PatientPostgresAdapter extends PostgresAdapter {
  readonly pool: Pool;

  constructor(pool: Pool) {
    super();
    this.pool = pool;
  }

  override async acquireMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions): Promise<void> {
    await sql`set statement_timeout = 0`.execute(db);
    await super.acquireMigrationLock(db, options);
  }

  override async releaseMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions): Promise<void> {
    await super.releaseMigrationLock(db, options);
    await sql`reset statement_timeout`.execute(db);
  }
}

class TranslatingPostgresDriver implements Driver {
  readonly #driver: Driver;
  readonly #onSlow: SlowStatementListener | undefined;

  constructor(pool: Pool, onSlow: SlowStatementListener | undefined) {
    this.#driver = new PostgresDriver({ pool });
    this.#onSlow = onSlow;
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return new TranslatingConnection(await this.#driver.acquireConnection(), this.#onSlow);
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#driver.beginTransaction(connection, settings);
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(connection);
  }

  /** A lost connection has already rolled back; a second error would hide the first. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#driver.rollbackTransaction(connection).catch(ignoreError);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await this.#driver.releaseConnection(
      connection instanceof TranslatingConnection ? connection.inner : connection,
    );
  }

  destroy(): Promise<void> {
    return this.#driver.destroy();
  }
}

class TranslatingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #onSlow: SlowStatementListener | undefined;

  constructor(inner: DatabaseConnection, onSlow: SlowStatementListener | undefined) {
    this.inner = inner;
    this.#onSlow = onSlow;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const startedAt = performance.now();
    try {
      return await this.inner.executeQuery<R>({ ...query, parameters: toBindable(query.parameters) });
    } catch (error) {
      throw translatePostgresError(error);
    } finally {
      reportStatement(query, startedAt, this.#onSlow);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize ?? 100);
  }
}
