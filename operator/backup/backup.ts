import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import type { OperatorContext } from '../../server/context.ts';
import { listNamedBlobs } from '../../server/features/uploads/index.ts';
import { copyPostgresToFile, copySqliteFile } from '../../server/platform/db/backup/whole-copy.ts';
import { openReadOnlyFile } from '../../server/platform/db/open.ts';
import { recordLastBackup } from '../../server/platform/db/settings.ts';
import { isAppError } from '../../server/platform/lib/app-error.ts';
import { toIso } from '../../server/platform/lib/clock.ts';
import {
  acquireRemovalHold,
  type RemovalHold,
} from '../../server/platform/storage/installation/removal-hold.ts';
import { listFileLabels } from './blob-files.ts';
import { type CopyTally, copyBlobs, EarlierCopies, type StoredDamage } from './copy-blobs.ts';
import { BlobListWriter, describeFile, sizeOf, syncFile, syncFolder } from './folder.ts';
import {
  adoptFolder,
  type Damage,
  findFreeName,
  listGenerations,
  MAX_LISTED,
  type Manifest,
  writeManifest,
  writeVerification,
} from './generations.ts';
import { type Removals, type Retention, removeOldGenerations, removeUnnamed } from './retention.ts';

type BackupOptions = {
  withFiles: boolean;
  /** Verifies every n-th earlier copy, different ones in each run; 1: all, undefined: none. */
  verifyEvery: number | undefined;
  retention: Retention;
};

type BackupDone = CopyTally &
  Removals & {
    manifest: Manifest;
    /** Files with missing or wrong bytes that the server had not marked as damaged before. */
    newlyDamaged: number;
    knownDamaged: number;
  };

const NOTHING: CopyTally = {
  copiedBlobs: 0,
  copiedBytes: 0,
  verifiedBlobs: 0,
  repairedBlobs: 0,
  missingBlobs: 0,
};

/**
 * Backs up a running server as a new generation. Pauses the removal of bytes, copies the rows in one snapshot, then
 * the bytes that they name. If it is interrupted, earlier generations stay complete. The caller must hold the lock of
 * the folder. Throws CommandError if the disk of the folder is full.
 */
export async function createBackup(
  context: OperatorContext,
  folder: string,
  options: BackupOptions,
): Promise<BackupDone> {
  const hold = await pauseRemovals(context);
  try {
    await mkdir(join(folder, 'blobs'), { recursive: true, mode: 0o700 });
    await adoptFolder(folder);
    return await createGeneration(context, folder, { ...options, hold });
  } catch (error) {
    // The hold expires by itself if the database does not respond.
    await hold.release().catch(() => undefined);
    if (!isDiskFull(error)) throw error;
    await removeUnnamed(folder);
    const { length } = (await listGenerations(folder)).complete;
    throw new CommandError(
      EXIT.failed,
      `The disk of ${folder} is full. The incomplete backup was removed; ${length} earlier ones are unchanged.`,
    );
  }
}

/** Throws CommandError if the disk of the server's database is full. */
async function pauseRemovals(context: OperatorContext): Promise<RemovalHold> {
  try {
    return await acquireRemovalHold(context);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new CommandError(
      EXIT.failed,
      'The disk of the server’s database is full, so removals cannot be paused for the backup. Free some space there.',
    );
  }
}

async function createGeneration(
  context: OperatorContext,
  folder: string,
  { hold, ...options }: BackupOptions & { hold: RemovalHold },
): Promise<BackupDone> {
  const { clock, db, log } = context;
  const { complete: earlier } = await listGenerations(folder);
  const startedAt = clock.now();
  const name = await findFreeName(folder, startedAt);
  const sequence = (earlier.at(-1)?.sequence ?? 0) + 1;
  const database = join(folder, `database-${name}.db`);
  const damage = new DamageList();
  let tally = NOTHING;
  await copyRows(context, database);
  let files: Manifest['files'] = null;
  if (options.withFiles) {
    const order = { folder, name, database, earlier, damage, isDue: dueBy(options, sequence) };
    ({ files, tally } = await copyFiles(context, order));
  }
  hold.assertHeld();
  await hold.release();
  const manifest: Manifest = {
    format: 2,
    name,
    sequence,
    startedAt: toIso(startedAt),
    finishedAt: toIso(clock.now()),
    database: await describeFile(database),
    secret: await copySecret(context, join(folder, `secret-${name}`)),
    files,
    damage: await damage.describe(database),
  };
  await syncFolder(folder);
  await writeManifest(folder, manifest);
  if (options.verifyEvery === 1)
    await writeVerification(folder, name, {
      verifiedAt: manifest.finishedAt,
      isGood: true,
      problems: damage.lost,
    });
  const removals = await removeOldGenerations(folder, options.retention, clock.now());
  await recordLastBackup(db, startedAt).catch((err: unknown) =>
    log.warn({ err }, 'The backup is complete, but its time could not be recorded in the database.'),
  );
  return { ...tally, ...removals, manifest, newlyDamaged: damage.unknown, knownDamaged: damage.known };
}

/** Spreads the copies evenly over the runs without recording when each was read. */
function dueBy({ verifyEvery }: BackupOptions, sequence: number): (name: string) => boolean {
  if (verifyEvery === undefined) return () => false;
  return (name) => crc32(name) % verifyEvery === sequence % verifyEvery;
}

async function copyRows({ config, db }: OperatorContext, target: string): Promise<void> {
  if (config.databaseUrl) await copyPostgresToFile(db, target);
  else await copySqliteFile(join(config.dataDir, 'sendwell.db'), target);
  await syncFile(target);
}

type FilesOrder = {
  folder: string;
  name: string;
  database: string;
  earlier: Manifest[];
  damage: DamageList;
  isDue(name: string): boolean;
};

async function copyFiles(
  { blobs }: OperatorContext,
  { folder, name, database, earlier: generations, damage, isDue }: FilesOrder,
): Promise<{ files: Manifest['files']; tally: CopyTally }> {
  const rows = await openReadOnlyFile(database);
  const earlier = new EarlierCopies();
  const path = join(folder, `files-${name}.ndjson`);
  const list = new BlobListWriter(path);
  try {
    await earlier.load(folder, generations);
    const tally = await copyBlobs(listNamedBlobs(rows, { withDamaged: true }), {
      blobs,
      rows,
      folder: join(folder, 'blobs'),
      list,
      earlier,
      isDue,
      onDamage: (each) => damage.add(each),
    });
    await list.end();
    for (const prefix of await readdir(join(folder, 'blobs')))
      await syncFolder(join(folder, 'blobs', prefix));
    await syncFolder(join(folder, 'blobs'));
    const files = { ...(await describeFile(path)), blobs: list.blobs, blobBytes: list.blobBytes };
    return { files, tally };
  } finally {
    await list.abort();
    earlier.close();
    await rows.destroy();
  }
}

/** Counts all damage and keeps the first MAX_LISTED entries. */
class DamageList {
  known = 0;
  unknown = 0;
  /** Neither the storage nor the backup has the right bytes. */
  lost = 0;
  readonly #first: StoredDamage[] = [];

  add(damage: StoredDamage): void {
    if (damage.isKnown) this.known += 1;
    else this.unknown += 1;
    if (!damage.isKept) this.lost += 1;
    if (this.#first.length < MAX_LISTED) this.#first.push(damage);
  }

  async describe(database: string): Promise<Damage[]> {
    const rows = await openReadOnlyFile(database);
    try {
      const ids = this.#first.flatMap(({ fileId }) => fileId ?? []);
      const labels = new Map((await listFileLabels(rows, ids)).map((label) => [label.id, label]));
      return this.#first.map(({ storageKey, fileId, isKept }) => {
        const { path = null, transferTitle = null } = labels.get(fileId ?? '') ?? {};
        return { storageKey, fileId, path, transferTitle, isKept };
      });
    } finally {
      await rows.destroy();
    }
  }
}

async function copySecret({ config }: OperatorContext, target: string): Promise<Manifest['secret']> {
  const source = join(config.dataDir, 'secret');
  if (config.sessionSecret || (await sizeOf(source)) === undefined) return null;
  await rm(target, { force: true });
  await copyFile(source, target);
  await syncFile(target);
  return describeFile(target);
}

const SQLITE_FULL = 13;

function isDiskFull(error: unknown): boolean {
  if (isAppError(error, 'storage_full')) return true;
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === SQLITE_FULL;
}
