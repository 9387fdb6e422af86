import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Config } from '../../config.ts';
import { blobNames, openOwnDatabase } from '../../context.ts';
import { migrateToLatest } from '../../platform/db/migrate.ts';
import { type Db, openDatabase } from '../../platform/db/open.ts';
import { fillPostgresFromFile } from '../../platform/db/whole-copy.ts';
import { systemClock } from '../../platform/lib/clock.ts';
import { createLog } from '../../platform/lib/log.ts';
import type { BlobStore } from '../../platform/storage/blob-store.ts';
import {
  InstallationMismatch,
  type MarkedStorages,
  pairRestored,
} from '../../platform/storage/installation.ts';
import { closeStorages, combineStorages, openStorages } from '../../platform/storage/open.ts';
import { forgetHolds } from '../../platform/storage/removal-hold.ts';
import { markRestoring, unmarkRestoring } from '../../platform/storage/restoring-mark.ts';
import { writeBlobFrom } from '../../platform/storage/write-blob.ts';
import {
  type BlobNote,
  type Manifest,
  readBlobNotes,
  requireIntact,
  syncFolder,
  writeDurably,
} from './backup-folder.ts';
import { RefusedError } from './command.ts';
import { forEachAtOnce } from './copy-blobs.ts';
import { dropOpenUploads } from './open-uploads.ts';

const BLOBS_AT_ONCE = 4;

export type RestoreOrder = {
  folder: string;
  manifest: Manifest;
  /** The installation id of the database that is replaced. */
  replacedId: string | undefined;
  /** Restores into a storage whoever it belongs to. */
  isAdopted: boolean;
};

export type Restored = { blobs: number; blobBytes: number; droppedUploads: number; missingBlobs: number };

/**
 * Puts a backup in the place of what is configured. The rows are prepared aside, then all bytes are written,
 * then the rows take their place in one step: killed before that, nothing is there that would be served, and a
 * mark keeps servers from starting. The caller holds the lock of DATA_DIR and has asked about what lies there.
 * Rows and storage carry the backup's installation id afterwards. Throws RefusedError when the storage belongs to
 * another installation; nothing has changed then.
 */
export async function restoreBackup(config: Config, order: RestoreOrder): Promise<Restored> {
  const { folder, manifest } = order;
  const source = await requireIntact(folder, manifest.database);
  const notes = manifest.files && (await requireIntact(folder, manifest.files));
  const secret = manifest.secret && (await requireIntact(folder, manifest.secret));
  const draft = join(config.dataDir, 'restoring.db');
  await markRestoring(config.dataDir);
  await removeDatabase(draft);
  await copyFile(source, draft);
  const rows = await openDatabase({ file: draft });
  const restored: Restored = { blobs: 0, blobBytes: 0, droppedUploads: 0, missingBlobs: 0 };
  try {
    await migrateToLatest(rows);
    await forgetPassing(rows);
    const storages = await openStorages(config, rows);
    const blobs = combineStorages(storages, config, rows);
    try {
      await pairWithStorages(config, order, { rows, storages });
      restored.droppedUploads = await dropOpenUploads({
        config,
        db: rows,
        blobs,
        clock: systemClock,
        log: createLog('silent'),
      });
      if (notes) await restoreBlobs(blobs, { folder, notes, restored });
    } finally {
      await closeStorages(storages);
    }
  } finally {
    await rows.destroy();
  }
  if (secret && !config.sessionSecret)
    await writeDurably(join(config.dataDir, 'secret'), await readFile(secret));
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
  const fallbackId = createHash('sha256').update(`installation of ${manifest.id}`).digest('hex').slice(0, 26);
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
    throw new RefusedError(error.message);
  }
}

/** What was true of the moment of the copying only. */
async function forgetPassing(rows: Db): Promise<void> {
  await forgetHolds(rows);
  await rows.updateTable('jobs').set({ leaseId: null, leasedUntil: null }).execute();
  await rows.deleteFrom('storageMultiparts').execute();
  await rows.deleteFrom('storageParts').execute();
}

type BlobOrder = { folder: string; notes: string; restored: Restored };

async function restoreBlobs(blobs: BlobStore, { folder, notes, restored }: BlobOrder): Promise<void> {
  await forEachAtOnce(readBlobNotes(notes), BLOBS_AT_ONCE, async (note) => {
    if (note.name === null) restored.missingBlobs += 1;
    else {
      await restoreBlob(blobs, join(folder, 'blobs', note.name), note);
      restored.blobs += 1;
      restored.blobBytes += note.sizeBytes;
    }
  });
}

/** Throws RefusedError when the copy is not what was written. */
async function restoreBlob(blobs: BlobStore, path: string, note: BlobNote): Promise<void> {
  const { storageKey, sizeBytes } = note;
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) throw new RefusedError(`The backup is damaged: ${path} is missing.`);
  let [sum, bytes] = [0, 0];
  try {
    if ((await file.stat()).size !== sizeBytes)
      throw new RefusedError(`The backup is damaged: ${path} has another length.`);
    // One that a killed restoring has left may be of another shape.
    await blobs.remove(storageKey);
    const read = (start: number, end: number) =>
      Readable.from(sumUp(file.createReadStream({ start, end: end - 1, autoClose: false })), {
        objectMode: false,
      });
    const sumUp = async function* (stream: AsyncIterable<Buffer>) {
      for await (const piece of stream) {
        sum = crc32(piece, sum);
        bytes += piece.length;
        yield piece;
      }
    };
    await writeBlobFrom(blobs, storageKey, { sizeBytes, read });
  } finally {
    await file.close();
  }
  if (sum === note.crc32 && bytes === sizeBytes) return;
  await blobs.remove(storageKey);
  throw new RefusedError(`The backup is damaged: ${path} is not what was written.`);
}

/** In one step: a rename, or one transaction. */
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
