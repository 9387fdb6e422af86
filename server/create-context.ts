import { constants, existsSync } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { type Config, ConfigError } from './config.ts';
import type { AppContext, OperatorContext } from './context.ts';
import { findNamedKeys, listNamedBlobs } from './features/uploads/index.ts';
import { logSlowStatements } from './platform/db/engines/slow-statements.ts';
import { listPendingMigrations, migrateToLatest } from './platform/db/migrate.ts';
import { type Db, openDatabase } from './platform/db/open.ts';
import { openGeo } from './platform/geo/geo.ts';
import { SecurityLog } from './platform/http/security/security-log.ts';
import { openRenderer } from './platform/images/renderer.ts';
import { ClockGuard } from './platform/jobs/clock-guard.ts';
import { createLeaseFile, openLeases } from './platform/leases/open.ts';
import { type Clock, systemClock } from './platform/lib/clock.ts';
import { readOrCreateSecret, requireSameSecret } from './platform/lib/data-dir/secret.ts';
import { createLog } from './platform/lib/logging/log.ts';
import { openMailer } from './platform/mail/mailer.ts';
import { Metrics } from './platform/metrics/metrics.ts';
import { openPayments } from './platform/payments/open.ts';
import { Clamd } from './platform/scanning/clamd.ts';
import { Ballast } from './platform/storage/disk/disk-space.ts';
import type { BlobNames } from './platform/storage/installation/installation.ts';
import { isBeingRestored } from './platform/storage/installation/restoring-mark.ts';
import { openBlobStore } from './platform/storage/open.ts';

export type WorkerRole = {
  /** Starts at 1. */
  number: number;
  /** The lease holder's name, inherited by a replacement process. */
  holder: string;
};

/** For all workers together. PostgreSQL's default limit is 100. */
const MAX_CONNECTIONS = 60;

/** The only place where dependencies are created. Tests pass their own clock and connections to PostgreSQL. */
export async function createContext(
  config: Config,
  parts: { clock?: Clock; pool?: Pool; readSharedTime?: () => Promise<number>; worker?: WorkerRole } = {},
): Promise<AppContext> {
  refuseHalfRestored(config);
  const { worker } = parts;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const log = createLog(config.logLevel).child(worker ? { worker: worker.number } : {});
  const keepsDataHere = !config.databaseUrl || !config.s3;
  const ballast = keepsDataHere ? Ballast.open(config.dataDir, log) : undefined;
  const secret = config.sessionSecret ?? (await readOrCreateSecret(config.dataDir));
  await requireReadable('BREACHED_PASSWORDS_FILE', config.breachedPasswordsFile);
  const geo = await openGeo({ cityFile: config.geoCityFile });
  const metrics = new Metrics();
  const security = new SecurityLog(log);
  const db = await openDatabase({
    url: config.databaseUrl,
    file: join(config.dataDir, 'sendwell.db'),
    ...(parts.pool && { pool: parts.pool }),
    connections: Math.min(10, Math.max(3, Math.floor(MAX_CONNECTIONS / config.workers))),
    onSlow: logSlowStatements(log, metrics),
    onDiskFull: ballast?.release,
    checkpointsInThread: true,
  });
  await migrateToLatest(db, { log });
  await requireSameSecret(db, { secret, isGenerated: !config.sessionSecret });
  const leases = await openLeases(config, {
    db,
    log,
    worker,
    ...(ballast && { onDiskFull: ballast.release }),
  });
  const clock = parts.clock ?? systemClock;
  const blobs = await openBlobStore(config, {
    db,
    clock,
    log,
    names: blobNames(db),
    onDiskFull: ballast?.release,
    metrics,
  });
  const mailer = openMailer(config, log);
  const payments = await openPayments(config, { db, clock });
  const rendering = join(config.dataDir, 'rendering');
  const images = await openRenderer({
    folder: worker ? join(rendering, String(worker.number)) : rendering,
    // The working directory may contain .env.
    hiddenFolders: [config.dataDir, process.cwd()],
  });
  // A test's clock also replaces the database server's.
  const readSharedTime = parts.readSharedTime ?? (parts.clock && (async () => clock.now()));
  const clockGuard = new ClockGuard({ db, clock, log, ...(readSharedTime && { readSharedTime }) });
  return {
    config,
    db,
    metrics,
    leases,
    blobs,
    ballast,
    mailer,
    geo,
    payments,
    images,
    scanner: config.scan && new Clamd(config.scan.address),
    log,
    security,
    secret,
    previousSecret: config.previousSecret,
    clock,
    clockGuard,
    close: async () => {
      security.close();
      mailer.close();
      await images.close();
      await blobs.close();
      await leases?.close();
      await ballast?.close();
      await db.destroy();
    },
  };
}

/**
 * Runs once before the worker processes start: migrates the tables, creates the secret and the installation id, and
 * deletes leftovers of earlier workers.
 */
export async function prepareForWorkers(config: Config): Promise<void> {
  refuseHalfRestored(config);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  if (!config.sessionSecret) await readOrCreateSecret(config.dataDir);
  const db = await openOwnDatabase(config);
  try {
    const log = createLog(config.logLevel);
    await migrateToLatest(db, { log });
    const blobs = await openBlobStore(config, { db, clock: systemClock, log, names: blobNames(db) });
    await blobs.close();
  } finally {
    await db.destroy();
  }
  await rm(join(config.dataDir, 'rendering'), { recursive: true, force: true });
  await createLeaseFile(config);
}

/**
 * The context of an operator command. Creates and migrates nothing: throws ConfigError if there is no database or its
 * tables are of another version, and InstallationMismatch like a server. Warnings go to standard error; running servers
 * see new jobs within a second.
 */
export async function createOperatorContext(config: Config): Promise<OperatorContext> {
  const db = await openExistingDatabase(config);
  const log = createLog('warn', process.stderr);
  const secret = config.sessionSecret ?? (await readOrCreateSecret(config.dataDir));
  const names = blobNames(db);
  const blobs = await openBlobStore(config, { db, clock: systemClock, log, names }).catch(async (error) => {
    await db.destroy();
    throw error;
  });
  const close = async () => {
    await blobs.close();
    await db.destroy();
  };
  const clockGuard = new ClockGuard({ db, clock: systemClock, log });
  return { config, db, blobs, log, secret, clock: systemClock, clockGuard, close };
}

/** Opens the database, created if necessary, without migrating it. */
export function openOwnDatabase({
  databaseUrl: url,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Db> {
  return openDatabase({ url, file: join(dataDir, 'sendwell.db') });
}

/** Proves that a storage without an installation id belongs to the database. */
export function blobNames(db: Db): BlobNames {
  return {
    async sampleNamed(limit) {
      const keys: string[] = [];
      for await (const { storageKey } of listNamedBlobs(db)) if (keys.push(storageKey) === limit) break;
      return keys;
    },
    findNamed: (keys) => findNamedKeys(db, keys),
  };
}

async function requireReadable(name: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${name}: ${path} cannot be read (${error.code}).`);
  });
}

function refuseHalfRestored({ dataDir }: Config): void {
  if (!isBeingRestored(dataDir)) return;
  throw new ConfigError(
    `A backup was restored only partly into ${dataDir}: run restore again with --force, or empty the folder.`,
  );
}

/** Throws ConfigError if there is no database or its tables are of another version. */
export async function openExistingDatabase(config: Config): Promise<Db> {
  refuseHalfRestored(config);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'sendwell.db')))
    throw new ConfigError(`There is no database in ${config.dataDir}. Check that DATA_DIR is the server's.`);
  const db = await openOwnDatabase(config);
  const pending = await listPendingMigrations(db);
  if (pending.length === 0) return db;
  await db.destroy();
  throw new ConfigError(
    `The database is from an older version (${pending.length} pending migrations): start the server, or run migrate.`,
  );
}
