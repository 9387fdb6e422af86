import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { Config } from '../../server/config.ts';
import { openOwnDatabase } from '../../server/create-context.ts';
import { countServers } from '../../server/platform/db/backup/whole-copy.ts';
import { listPendingMigrations } from '../../server/platform/db/migrate.ts';
import { DataDirInUseError, lockDataDir } from '../../server/platform/lib/data-dir/data-dir-lock.ts';
import { findInstallationId } from '../../server/platform/storage/installation/installation.ts';
import { MARKER_NAME } from '../../server/platform/storage/installation/installation-marker.ts';
import type { Command, CommandCall } from '../command.ts';
import { describeFileLabel } from './blob-files.ts';
import { getGeneration, lockForReading } from './generations.ts';
import { type Restored, restoreBackup } from './restore.ts';
import { createProgress } from './verify-backup.ts';

type RestoreCommandOptions = { generation?: string; continue?: true; force?: true; adoptStorage?: true };

export const restore: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty DATA_DIR and database; stop the server first',
  details: [
    'The backup is restored to the database and storage in the environment variables. They may differ from those of ' +
      'the backup: SQLite can become PostgreSQL, and files on a disk can become objects in a bucket.',
    'The whole backup is verified before anything is written. If a restore is interrupted, run it again with ' +
      '--force. No server starts there until the restore has finished.',
  ],
  arguments: [new Argument('<folder>', 'The backup folder')],
  options: [
    new Option('--generation <name>', 'Restore this generation instead of the newest (see list-backups)'),
    new Option(
      '--continue',
      'Restore as much as possible of a damaged backup without verifying it first. Files without the right bytes ' +
        'are marked as damaged and not served; exit code 3 if there are any',
    ),
    new Option('--force', 'Replace an existing database and existing files'),
    new Option(
      '--adopt-storage',
      'Use a storage that belongs to another installation, which then stops working, or that contains files ' +
        'unknown to the backup',
    ),
  ],
  async run(call: CommandCall<[string], RestoreCommandOptions>) {
    const folder = resolve(call.args[0]);
    const { generation, continue: isContinued = false, force = false, adoptStorage = false } = call.options;
    const manifest = await getGeneration(folder, generation);
    const unlockBackup = await lockForReading(folder);
    let unlock = () => {};
    try {
      unlock = lockForRestoring(call.config);
      await requireReplaceable(call.config, { isForced: force });
      const replacedId = await findReplacedId(call.config);
      const restored = await restoreBackup(
        call.config,
        { folder, manifest, replacedId, isAdopted: adoptStorage },
        { isContinued, onProgress: createProgress(call, 'Read', manifest.files ?? undefined) },
      );
      for (const label of restored.damaged) call.say(`Damaged: ${describeFileLabel(label)}`);
      const { name, startedAt: madeAt } = manifest;
      call.report({ name, madeAt, ...restored }, describeRestored(madeAt, restored));
      return restored.missingBlobs + restored.damagedFiles > 0 ? EXIT.found : EXIT.ok;
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
    droppedUploads > 0 && `${droppedUploads} unfinished uploads were discarded.`,
    missingBlobs > 0 && `${missingBlobs} blobs could not be restored.`,
    damagedFiles > 0 && `${damagedFiles} files are marked as damaged and will not be served.`,
    healedFiles > 0 && `${healedFiles} files that were marked as damaged are intact in the backup.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function lockForRestoring({ dataDir }: Config): () => void {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof DataDirInUseError)
      throw new CommandError(EXIT.failed, `A server is running on ${dataDir}. Stop it first.`);
    throw error;
  }
}

/** Throws CommandError if a server uses the database, or if data exists and --force is missing. */
async function requireReplaceable(config: Config, { isForced }: { isForced: boolean }): Promise<void> {
  const rows = config.databaseUrl ? await hasPostgresRows(config) : hasSqliteFile(config);
  const blobs = config.s3 ? false : await hasBlobs(join(config.dataDir, 'blobs'));
  if (isForced || !(rows || blobs)) return;
  const found = rows ? 'The database is not empty' : `There are files in ${join(config.dataDir, 'blobs')}`;
  throw new CommandError(EXIT.failed, `${found}. To replace everything, add --force.`);
}

/** The installation id of the database that is replaced. Its storage may be reused. */
async function findReplacedId(config: Config): Promise<string | undefined> {
  if (!config.databaseUrl && !hasSqliteFile(config)) return undefined;
  const db = await openOwnDatabase(config);
  try {
    return (await listPendingMigrations(db)).length > 0 ? undefined : await findInstallationId(db);
  } finally {
    await db.destroy();
  }
}

/** Throws CommandError if servers are connected. */
async function hasPostgresRows(config: Config): Promise<boolean> {
  const db = await openOwnDatabase(config);
  try {
    const servers = await countServers(db);
    if (servers > 0)
      throw new CommandError(
        EXIT.failed,
        `Servers are running on this database (${servers} connections). Stop them first.`,
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

function hasSqliteFile({ dataDir }: Config): boolean {
  return existsSync(join(dataDir, 'sendwell.db'));
}

async function hasBlobs(folder: string): Promise<boolean> {
  return existsSync(folder) && (await readdir(folder)).some((name) => name !== MARKER_NAME);
}
