import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import type { Config } from '../../server/config.ts';
import type { OperatorContext } from '../../server/context.ts';
import { blobNames, openOwnDatabase } from '../../server/create-context.ts';
import { discardUpload } from '../../server/features/uploads/index.ts';
import { ScratchMap } from '../../server/platform/db/backup/scratch-map.ts';
import { fillPostgresFromFile } from '../../server/platform/db/backup/whole-copy.ts';
import { migrateToLatest } from '../../server/platform/db/migrate.ts';
import { type Db, openDatabase } from '../../server/platform/db/open.ts';
import { systemClock } from '../../server/platform/lib/clock.ts';
import { createLog } from '../../server/platform/lib/logging/log.ts';
import {
  InstallationMismatch,
  type MarkedStorages,
  pairRestored,
} from '../../server/platform/storage/installation/installation.ts';
import { deleteRemovalHolds } from '../../server/platform/storage/installation/removal-hold.ts';
import { markRestoring, unmarkRestoring } from '../../server/platform/storage/installation/restoring-mark.ts';
import { closeStorages, combineStorages, openStorages } from '../../server/platform/storage/open.ts';
import { findFileFault, syncFolder, writeDurably } from './folder.ts';
import type { Manifest } from './generations.ts';
import { BlobRestorer, type RestoredBlobs } from './restore-blobs.ts';
import { describeProblem, verifyGeneration } from './verify-backup.ts';

const MAX_NAMED = 20;

export type RestoreOrder = {
  folder: string;
  manifest: Manifest;
  /** The installation id of the database that is replaced. */
  replacedId: string | undefined;
  /** Restore even if the storage belongs to another installation. */
  isAdopted: boolean;
};

export type Restored = RestoredBlobs & { droppedUploads: number };

type RestoreOptions = {
  /** Restore the intact parts of a damaged backup. Otherwise nothing is written if anything is wrong. */
  isContinued: boolean;
  onProgress(done: { blobs: number; blobBytes: number }): void;
};

/**
 * Replaces the configured database and storage with a backup: prepares the rows in a separate file, writes all bytes,
 * then replaces the database atomically. If it is killed before that, a marker prevents servers from starting. The
 * caller must hold the lock of DATA_DIR and must have checked that existing data may be replaced. Rows and storage
 * get the installation id of the backup. Throws CommandError without any change if the backup is damaged (with
 * `isContinued`, only if its database or secret is) or if the storage belongs to another installation.
 */
export async function restoreBackup(
  config: Config,
  order: RestoreOrder,
  { isContinued, onProgress }: RestoreOptions,
): Promise<Restored> {
  const { folder, manifest } = order;
  const source = await requireIntact(folder, manifest.database);
  const secret = config.sessionSecret
    ? null
    : manifest.secret && (await requireSecret(folder, manifest.secret));
  if (!isContinued) await requireWholeBackup(folder, manifest, onProgress);
  const draft = join(config.dataDir, 'restoring.db');
  await markRestoring(config.dataDir);
  await removeDatabase(draft);
  await copyFile(source, draft);
  const rows = await openDatabase({ file: draft });
  let restored: Restored;
  try {
    await migrateToLatest(rows);
    await deleteLeases(rows);
    const storages = await openStorages(config, rows);
    const blobs = combineStorages(storages, config, rows);
    try {
      await pairWithStorages(config, order, { rows, storages });
      const droppedUploads = await dropOpenUploads({
        config,
        db: rows,
        blobs,
        clock: systemClock,
        log: createLog('silent'),
      });
      const restorer = new BlobRestorer({ blobs, rows, folder, isContinued });
      if (manifest.files) await restorer.restoreAll(manifest.files, onProgress);
      restored = { ...restorer.restored, droppedUploads };
    } finally {
      await closeStorages(storages);
    }
  } finally {
    await rows.destroy();
  }
  if (secret) await writeDurably(join(config.dataDir, 'secret'), await readFile(secret));
  await putInPlace(config, draft);
  await unmarkRestoring(config.dataDir);
  return restored;
}

type Pair = { rows: Db; storages: MarkedStorages };

async function pairWithStorages(
  { dataDir }: Config,
  { manifest, replacedId, isAdopted }: RestoreOrder,
  { rows, storages }: Pair,
): Promise<void> {
  const fallbackId = createHash('sha256')
    .update(`installation of ${manifest.name}`)
    .digest('hex')
    .slice(0, 26);
  const parts = { db: rows, clock: systemClock, names: blobNames(rows) };
  try {
    await pairRestored(parts, storages, {
      fallbackId,
      replacedId,
      hasFiles: manifest.files !== null,
      isAdopted,
    });
  } catch (error) {
    if (!(error instanceof InstallationMismatch)) throw error;
    await unmarkRestoring(dataDir);
    throw new CommandError(EXIT.failed, error.message);
  }
}

const OTHER_GENERATION = 'Choose another generation with --generation; list-backups lists them.';

async function requireIntact(folder: string, entry: Manifest['database'], hint = ''): Promise<string> {
  const fault = await findFileFault(folder, entry);
  if (!fault) return join(folder, entry.name);
  const found = fault === 'missing' ? 'is missing' : 'does not match its digest';
  throw new CommandError(
    EXIT.failed,
    `The backup is damaged: ${entry.name} ${found}. Nothing was changed. ${OTHER_GENERATION}${hint}`,
  );
}

function requireSecret(folder: string, entry: Manifest['database']): Promise<string> {
  return requireIntact(
    folder,
    entry,
    ' Or set SESSION_SECRET to a new random value: everyone then has to sign in again.',
  );
}

/** Verifies the whole backup. Throws CommandError with the first problems. */
async function requireWholeBackup(
  folder: string,
  manifest: Manifest,
  onProgress: RestoreOptions['onProgress'],
): Promise<void> {
  const seen = new ScratchMap();
  const lines: string[] = [];
  try {
    const { problems } = await verifyGeneration(folder, manifest, {
      seen,
      onProgress,
      onProblem(problem) {
        if (lines.length < MAX_NAMED) lines.push(describeProblem(problem));
      },
    });
    if (problems === 0) return;
    const more =
      problems > lines.length
        ? [`… and ${problems - lines.length} more. Run verify-backup to list them.`]
        : [];
    throw new CommandError(
      EXIT.failed,
      [
        'The backup is damaged. Nothing was changed.',
        ...lines,
        ...more,
        'To restore everything else and mark these files as damaged, run restore with --continue. ' +
          'Another generation may have them: run list-backups, then restore --generation <name>.',
      ].join('\n'),
    );
  } finally {
    seen.close();
  }
}

/** Deletes removal holds, job leases and multipart uploads, which were valid only while the backup was made. */
async function deleteLeases(rows: Db): Promise<void> {
  await deleteRemovalHolds(rows);
  await rows.updateTable('jobs').set({ leaseId: null, leasedUntil: null }).execute();
  await rows.deleteFrom('storageMultiparts').execute();
  await rows.deleteFrom('storageParts').execute();
}

/** Atomic: by a rename, or in one transaction. */
async function putInPlace(config: Config, draft: string): Promise<void> {
  await mkdir(config.dataDir, { recursive: true });
  if (config.databaseUrl) {
    const db = await openOwnDatabase(config);
    try {
      await migrateToLatest(db);
      await fillPostgresFromFile(draft, db);
    } finally {
      await db.destroy();
    }
    await removeDatabase(draft);
    return;
  }
  const target = join(config.dataDir, 'sendwell.db');
  const handle = await open(draft, 'r');
  await handle.sync();
  await handle.close();
  for (const ending of ['-wal', '-shm']) await rm(target + ending, { force: true });
  await rename(draft, target);
  await syncFolder(config.dataDir);
}

async function removeDatabase(file: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(file + ending, { force: true });
}

const UPLOADS_PER_PAGE = 200;

/** A backup does not contain the bytes of open uploads. Returns their number. */
async function dropOpenUploads(
  context: Pick<OperatorContext, 'config' | 'db' | 'blobs' | 'clock' | 'log'>,
): Promise<number> {
  let dropped = 0;
  for (let after = ''; ; ) {
    const page = await context.db
      .selectFrom('uploads')
      .select(['id', 'userId', 'visitorKey', 'transferId', 'chunkCount'])
      .where('state', '=', 'open')
      .where('id', '>', after)
      .orderBy('id')
      .limit(UPLOADS_PER_PAGE)
      .execute();
    for (const upload of page)
      if (await discardUpload(context as never, upload, { cause: 'dropped-by-operator' })) dropped += 1;
    if (page.length < UPLOADS_PER_PAGE) return dropped;
    after = page.at(-1)!.id;
  }
}
