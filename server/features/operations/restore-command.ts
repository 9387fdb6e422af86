import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { openOwnDatabase } from '../../context.ts';
import { DataDirInUseError, lockDataDir } from '../../platform/db/data-dir-lock.ts';
import { listPendingMigrations } from '../../platform/db/migrate.ts';
import { countServers } from '../../platform/db/whole-copy.ts';
import { findInstallationId } from '../../platform/storage/installation.ts';
import { MARKER_NAME } from '../../platform/storage/installation-marker.ts';
import { readManifest } from './backup-folder.ts';
import { type Command, EXIT, onlyArgument, RefusedError } from './command.ts';
import { restoreBackup } from './restore.ts';

export const restore: Command = {
  name: 'restore',
  usage: '<folder> [--force] [--adopt-storage] [--json]',
  summary: 'put a backup into an empty DATA_DIR and database, while no server runs on them',
  details: [
    '',
    'Database and storage are those of the environment, which may be others than the backup’s: rows of SQLite may',
    'become PostgreSQL’s, and files of a disk a bucket’s. --force replaces what is there. Broken off, it is run again',
    'with --force; until it is through, no server starts there. A storage that belongs to another installation, or',
    'whose files the backup does not name, is only taken with --adopt-storage: that other one then stops serving.',
  ].join('\n'),
  options: { force: { type: 'boolean' }, 'adopt-storage': { type: 'boolean' } },
  async run(call) {
    const folder = resolve(onlyArgument(call));
    const manifest = await readManifest(folder);
    if (!manifest) throw new RefusedError(`There is no whole backup in ${folder}.`);
    const unlock = lockForRestoring(call.config);
    try {
      await refuseOthers(call.config, { isForced: call.options.force === true });
      const isAdopted = call.options['adopt-storage'] === true;
      const replacedId = await findReplacedId(call.config);
      const restored = await restoreBackup(call.config, { folder, manifest, replacedId, isAdopted });
      const dropped =
        restored.droppedUploads > 0 ? ` ${restored.droppedUploads} open uploads were dropped.` : '';
      const missing =
        restored.missingBlobs > 0 ? ` ${restored.missingBlobs} blobs were missing in the backup.` : '';
      call.report(
        { id: manifest.id, madeAt: manifest.startedAt, ...restored },
        `Restored the backup of ${manifest.startedAt}: ${restored.blobs} blobs, ${restored.blobBytes} bytes.${dropped}${missing}`,
      );
      return restored.missingBlobs > 0 ? EXIT.found : EXIT.done;
    } finally {
      unlock();
    }
  },
};

function lockForRestoring({ dataDir }: Config): () => void {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof DataDirInUseError)
      throw new RefusedError(`A server is running on ${dataDir}: stop it first.`);
    throw error;
  }
}

/** Throws RefusedError for a database in use, and for anything that would be replaced unasked. */
async function refuseOthers(config: Config, { isForced }: { isForced: boolean }): Promise<void> {
  const rows = config.databaseUrl ? await lookAtPostgres(config) : lookAtFile(config);
  const blobs = config.s3 ? false : await hasBlobs(join(config.dataDir, 'blobs'));
  if (isForced || !(rows || blobs)) return;
  const what = rows ? 'The database is not empty' : `There are files in ${join(config.dataDir, 'blobs')}`;
  throw new RefusedError(`${what}. --force replaces what is there.`);
}

/** The storage of the database that is replaced may be reused. */
async function findReplacedId(config: Config): Promise<string | undefined> {
  if (!config.databaseUrl && !lookAtFile(config)) return undefined;
  const db = await openOwnDatabase(config);
  try {
    return (await listPendingMigrations(db)).length > 0 ? undefined : await findInstallationId(db);
  } finally {
    await db.destroy();
  }
}

async function lookAtPostgres(config: Config): Promise<boolean> {
  const db = await openOwnDatabase(config);
  try {
    const servers = await countServers(db);
    if (servers > 0)
      throw new RefusedError(
        `Servers are running on this database (${servers} connections): stop them first.`,
      );
    if ((await listPendingMigrations(db)).length > 0) return await hasTables(db);
    return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
  } finally {
    await db.destroy();
  }
}

async function hasTables(db: Awaited<ReturnType<typeof openOwnDatabase>>): Promise<boolean> {
  return (await db.introspection.getTables()).length > 0;
}

function lookAtFile({ dataDir }: Config): boolean {
  return existsSync(join(dataDir, 'sendwell.db'));
}

async function hasBlobs(folder: string): Promise<boolean> {
  return existsSync(folder) && (await readdir(folder)).some((name) => name !== MARKER_NAME);
}
