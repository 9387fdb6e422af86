import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { Config } from '../../config.ts';
import { openOwnDatabase } from '../../create-context.ts';
import { DataDirInUseError, lockDataDir } from '../../platform/db/data-dir-lock.ts';
import { listPendingMigrations } from '../../platform/db/migrate.ts';
import { countServers } from '../../platform/db/whole-copy.ts';
import { findInstallationId } from '../../platform/storage/installation.ts';
import { MARKER_NAME } from '../../platform/storage/installation-marker.ts';
import { getGeneration, lockForReading } from './backup-generations.ts';
import { type Command, EXIT, onlyArgument, RefusedError } from './command.ts';
import { type Restored, restoreBackup } from './restore.ts';
import { describeFileLabel } from './verify-backup.ts';
import { sayProgress } from './verify-backup-command.ts';

export const restore: Command = {
  name: 'restore',
  usage: '<folder> [--generation <name>] [--continue] [--force] [--adopt-storage] [--json]',
  summary: 'put a backup into an empty DATA_DIR and database, while no server runs on them',
  details: [
    '',
    'Database and storage are those of the environment, which may be others than the backup’s: rows of SQLite may',
    'become PostgreSQL’s, and files of a disk a bucket’s. The whole backup is verified before anything is written.',
    '',
    '--generation <name>  restore this generation (list-backups shows them) instead of the newest',
    '--continue           restore a damaged backup as far as possible; files without right bytes are marked as damaged',
    '                     and not served. Saves the verification, so it is also faster. Exit code 3: some are damaged',
    '--force              replace what is there. If a restore is interrupted, run it again with --force; until it has',
    '                     ended, no server starts there',
    '--adopt-storage      use a storage that belongs to another installation, or holds files that the backup does not',
    '                     name. The other installation stops serving',
  ].join('\n'),
  options: {
    force: { type: 'boolean' },
    continue: { type: 'boolean' },
    generation: { type: 'string' },
    'adopt-storage': { type: 'boolean' },
  },
  async run(call) {
    const folder = resolve(onlyArgument(call));
    const manifest = await getGeneration(folder, call.options.generation as string | undefined);
    const unlockBackup = await lockForReading(folder);
    let unlock = () => {};
    try {
      unlock = lockForRestoring(call.config);
      await refuseOthers(call.config, { isForced: call.options.force === true });
      const isAdopted = call.options['adopt-storage'] === true;
      const replacedId = await findReplacedId(call.config);
      const restored = await restoreBackup(
        call.config,
        { folder, manifest, replacedId, isAdopted },
        {
          goesOn: call.options.continue === true,
          onProgress: sayProgress(call, 'Read', manifest.files ?? undefined),
        },
      );
      for (const label of restored.damaged) call.say(`Damaged: ${describeFileLabel(label)}`);
      const { name, startedAt: madeAt } = manifest;
      call.report({ name, madeAt, ...restored }, describeRestored(madeAt, restored));
      return restored.missingBlobs + restored.damagedFiles > 0 ? EXIT.found : EXIT.done;
    } finally {
      unlock();
      unlockBackup();
    }
  },
};

function describeRestored(madeAt: string, restored: Restored): string {
  const { blobs, blobBytes, droppedUploads, missingBlobs, damagedFiles, healedFiles } = restored;
  const sentences = [
    `Restored the backup of ${madeAt}: ${blobs} blobs, ${formatSize(blobBytes)}.`,
    droppedUploads > 0 && `${droppedUploads} open uploads were dropped.`,
    missingBlobs > 0 && `${missingBlobs} blobs could not be restored.`,
    damagedFiles > 0 && `${damagedFiles} files are marked as damaged and will not be served.`,
    healedFiles > 0 && `${healedFiles} files that were marked as damaged have their right bytes again.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

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
