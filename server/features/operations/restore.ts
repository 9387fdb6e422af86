import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { Config } from '../../config.ts';
import { blobNames, openOwnDatabase } from '../../create-context.ts';
import { migrateToLatest } from '../../platform/db/migrate.ts';
import { type Db, openDatabase } from '../../platform/db/open.ts';
import { ScratchMap } from '../../platform/db/scratch-map.ts';
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
import { listNamedBlobs } from '../uploads/index.ts';
import {
  type BlobNote,
  findFileFault,
  readBlobNotes,
  readOrZeros,
  sizeOf,
  syncFolder,
  writeDurably,
} from './backup-folder.ts';
import { MAX_LISTED, type Manifest } from './backup-generations.ts';
import {
  clearFilesDamage,
  type FileLabel,
  listBlobFiles,
  listFileLabels,
  markFilesDamaged,
} from './blob-file-queries.ts';
import { RefusedError } from './command.ts';
import { copyNameOf, forEachAtOnce } from './copy-blobs.ts';
import { FileSums } from './file-sums.ts';
import { dropOpenUploads } from './open-uploads.ts';
import { describeProblem, verifyGeneration } from './verify-backup.ts';

const BLOBS_AT_ONCE = 4;
/** Problems that a refusal names. */
const MAX_NAMED = 20;

export type RestoreOrder = {
  folder: string;
  manifest: Manifest;
  /** The installation id of the database that is replaced. */
  replacedId: string | undefined;
  /** Restores into a storage even if it belongs to another installation. */
  isAdopted: boolean;
};

export type Restored = {
  blobs: number;
  blobBytes: number;
  droppedUploads: number;
  /** Blobs of which the backup has nothing. */
  missingBlobs: number;
  /** Files that are marked as damaged in the restored database. */
  damagedFiles: number;
  /** Files that the database marked as damaged and of which the backup has the right bytes. */
  healedFiles: number;
  /** The damaged files, the first MAX_LISTED of them. */
  damaged: FileLabel[];
};

type RestoreOptions = {
  /** Restores what is right of a damaged backup. Without it, nothing is written if anything is wrong. */
  goesOn: boolean;
  onProgress(done: { blobs: number; blobBytes: number }): void;
};

/**
 * Replaces the configured database and storage with a backup. The rows are prepared in a file of their own,
 * then all bytes are written, then the rows are put in place in one step. If it is killed before that, a mark keeps
 * servers from starting. The caller holds the lock of DATA_DIR and has asked before replacing anything.
 * Afterwards rows and storage carry the backup's installation id. Throws RefusedError for a damaged backup (always
 * if its database or secret is damaged) and for a storage of another installation; nothing has changed then.
 */
export async function restoreBackup(
  config: Config,
  order: RestoreOrder,
  { goesOn, onProgress }: RestoreOptions,
): Promise<Restored> {
  const { folder, manifest } = order;
  const source = await requireIntact(folder, manifest.database);
  const secret = config.sessionSecret
    ? null
    : manifest.secret && (await requireSecret(folder, manifest.secret));
  if (!goesOn) await requireWholeBackup(folder, manifest, onProgress);
  const draft = join(config.dataDir, 'restoring.db');
  await markRestoring(config.dataDir);
  await removeDatabase(draft);
  await copyFile(source, draft);
  const rows = await openDatabase({ file: draft });
  let restored: Restored;
  try {
    await migrateToLatest(rows);
    await forgetPassing(rows);
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
      const restoring = new BlobRestoring({ blobs, rows, folder, goesOn });
      if (manifest.files) await restoring.restoreAll(manifest.files, onProgress);
      restored = { ...restoring.restored, droppedUploads };
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
    throw new RefusedError(error.message);
  }
}

const OTHER_GENERATION = 'Choose another generation with --generation; list-backups lists them.';

async function requireIntact(folder: string, note: Manifest['database'], hint = ''): Promise<string> {
  const fault = await findFileFault(folder, note);
  if (!fault) return join(folder, note.name);
  const found = fault === 'missing' ? 'missing' : 'not what was written';
  throw new RefusedError(
    `The backup is damaged: ${note.name} is ${found}. Nothing was changed. ${OTHER_GENERATION}${hint}`,
  );
}

function requireSecret(folder: string, note: Manifest['database']): Promise<string> {
  return requireIntact(
    folder,
    note,
    ' Or set SESSION_SECRET to a new random value: then everybody has to sign in again.',
  );
}

/** Reads everything once before anything is written. */
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
    const more = problems > lines.length ? [`… and ${problems - lines.length} more: run verify-backup.`] : [];
    throw new RefusedError(
      [
        'The backup is damaged. Nothing was changed.',
        ...lines,
        ...more,
        'To restore everything else and mark these files as damaged, run restore with --continue. ' +
          'Another generation may have them: list-backups, then restore --generation <name>.',
      ].join('\n'),
    );
  } finally {
    seen.close();
  }
}

/** Removes what was only valid while the backup was made. */
async function forgetPassing(rows: Db): Promise<void> {
  await forgetHolds(rows);
  await rows.updateTable('jobs').set({ leaseId: null, leasedUntil: null }).execute();
  await rows.deleteFrom('storageMultiparts').execute();
  await rows.deleteFrom('storageParts').execute();
}

type BlobOrder = { blobs: BlobStore; rows: Db; folder: string; goesOn: boolean };

/** Writes the blobs of a backup and marks files in `rows` whose bytes are missing or wrong. */
class BlobRestoring {
  readonly restored: Restored = {
    blobs: 0,
    blobBytes: 0,
    droppedUploads: 0,
    missingBlobs: 0,
    damagedFiles: 0,
    healedFiles: 0,
    damaged: [],
  };
  readonly #order: BlobOrder;

  constructor(order: BlobOrder) {
    this.#order = order;
  }

  async restoreAll(
    list: NonNullable<Manifest['files']>,
    onProgress: RestoreOptions['onProgress'],
  ): Promise<void> {
    const isListRight = (await findFileFault(this.#order.folder, list)) === undefined;
    const notes = isListRight ? readBlobNotes(join(this.#order.folder, list.name)) : this.#notesFromRows();
    await forEachAtOnce(notes, BLOBS_AT_ONCE, async (note) => {
      await this.#restore(note);
      onProgress(this.restored);
    });
  }

  /** Replaces a damaged list: the usual name of each copy follows from the rows, which have the CRC-32 of its files. */
  async *#notesFromRows(): AsyncGenerator<ListedBlob> {
    for await (const blob of listNamedBlobs(this.#order.rows, { withDamaged: true }))
      yield { storageKey: blob.storageKey, name: copyNameOf(blob), sizeBytes: blob.sizeBytes, crc32: null };
  }

  async #restore(note: ListedBlob): Promise<void> {
    const { blobs, rows, folder, goesOn } = this.#order;
    const { storageKey, name, sizeBytes } = note;
    const path = name === null ? undefined : join(folder, 'blobs', name);
    const sums = new FileSums(listBlobFiles(rows, storageKey));
    // An interrupted run may have left one with another layout.
    await blobs.remove(storageKey);
    const isThere = path !== undefined && (await sizeOf(path)) !== undefined;
    const isRead = isThere && (await writeFromCopy(blobs, { path, storageKey, sizeBytes, sums }));
    await sums.end();
    const isRight = isRead && (note.crc32 === null || sums.crc32 === note.crc32) && !note.damagedFiles;
    if (!(goesOn || isRight)) {
      await blobs.remove(storageKey);
      throw new RefusedError(`The backup is damaged: ${path ?? storageKey} is not what was written.`);
    }
    // A wrong preview or background is left out: nothing tells which of its bytes are wrong.
    const isUsable = isThere && (isRight || sums.right + sums.wrong.length > 0);
    if (isUsable) {
      this.restored.blobs += 1;
      this.restored.blobBytes += sizeBytes;
    } else {
      this.restored.missingBlobs += 1;
      await blobs.remove(storageKey);
    }
    await this.#mark(sums);
  }

  async #mark({ wrong, healed }: FileSums): Promise<void> {
    const { rows } = this.#order;
    const ids = wrong.map(({ id }) => id);
    await markFilesDamaged(rows, ids, systemClock.now());
    const room = MAX_LISTED - this.restored.damaged.length;
    if (ids.length > 0 && room > 0)
      this.restored.damaged.push(...(await listFileLabels(rows, ids.slice(0, room))));
    this.restored.damagedFiles += ids.length;
    await clearFilesDamage(
      rows,
      healed.map(({ id }) => id),
    );
    this.restored.healedFiles += healed.length;
  }
}

/** Without its own CRC-32 if the list is damaged; the rows have those of its files. */
type ListedBlob = Omit<BlobNote, 'crc32'> & { crc32: number | null };

type BlobWriting = { path: string; storageKey: string; sizeBytes: number; sums: FileSums };

const PIECE_BYTES = MIB;

/** Returns false if the copy has another length or could not be read wholly; zeros are stored in place of the rest. */
async function writeFromCopy(
  blobs: BlobStore,
  { path, storageKey, sizeBytes, sums }: BlobWriting,
): Promise<boolean> {
  const file = await open(path, 'r');
  let isRight = (await file.stat()).size === sizeBytes;
  const readPieces = async function* (start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += PIECE_BYTES) {
      // The stream may still hold the piece before this one.
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
      if (!(await readOrZeros(file, piece, at))) isRight = false;
      await sums.add(piece);
      yield piece;
    }
  };
  const read = (start: number, end: number) => Readable.from(readPieces(start, end), { objectMode: false });
  try {
    await writeBlobFrom(blobs, storageKey, { sizeBytes, read });
  } finally {
    await file.close();
  }
  return isRight;
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
