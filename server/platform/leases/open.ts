import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { up as createTable } from '../db/migrations/0009-leases.ts';
import { type Db, openUnsyncedFile } from '../db/open.ts';
import type { Log } from '../lib/logging/log.ts';
import { Leases } from './leases.ts';

type Settings = {
  dataDir: string;
  databaseUrl: string | undefined;
  s3: object | undefined;
};

type Parts = {
  db: Db;
  log: Log;
  /** Set if several processes run on this machine. */
  worker: { holder: string } | undefined;
  onDiskFull?: () => boolean;
};

/**
 * PostgreSQL is shared between machines, a local file between the processes of this machine. Undefined for a
 * single-process server.
 */
export async function openLeases(
  { dataDir, databaseUrl, s3 }: Settings,
  { db, log, worker, onDiskFull }: Parts,
): Promise<Leases | undefined> {
  if (!worker && !(databaseUrl && s3)) return undefined;
  const isShared = databaseUrl !== undefined;
  const own = isShared ? undefined : openUnsyncedFile(fileIn(dataDir), onDiskFull);
  const leases = new Leases({ db: own ?? db, own, log, ...(worker && { holder: worker.holder }) });
  await leases.open();
  return leases;
}

/** No process may have the file open. */
export async function createLeaseFile({ dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>) {
  const file = fileIn(dataDir);
  for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true });
  if (databaseUrl) return;
  const db = openUnsyncedFile(file);
  // Migrations are typed without tables.
  await createTable(db as unknown as Kysely<unknown>);
  await db.destroy();
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'leases.db');
}
