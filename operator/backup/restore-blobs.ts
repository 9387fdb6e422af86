import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { listNamedBlobs } from '../../server/features/uploads/index.ts';
import type { Db } from '../../server/platform/db/open.ts';
import { systemClock } from '../../server/platform/lib/clock.ts';
import type { BlobStore } from '../../server/platform/storage/blob-store.ts';
import { writeBlobFrom } from '../../server/platform/storage/write-blob.ts';
import { forEachAtOnce } from '../stored-bytes.ts';
import {
  BlobVerifier,
  clearFilesDamage,
  type FileLabel,
  listBlobFiles,
  listFileLabels,
  markFilesDamaged,
} from './blob-files.ts';
import { copyNameOf } from './copy-blobs.ts';
import { type BlobEntry, findFileFault, readBlobList, readOrZeros, sizeOf } from './folder.ts';
import { MAX_LISTED, type Manifest } from './generations.ts';

const BLOBS_AT_ONCE = 4;

export type RestoredBlobs = {
  blobs: number;
  blobBytes: number;
  /** Blobs without a single byte in the backup. */
  missingBlobs: number;
  /** Files marked as damaged in the restored database. */
  damagedFiles: number;
  /** Files no longer marked as damaged, because the backup has their right bytes. */
  healedFiles: number;
  /** At most MAX_LISTED of the damaged files. */
  damaged: FileLabel[];
};

type BlobOrder = { blobs: BlobStore; rows: Db; folder: string; isContinued: boolean };

/** Restores blobs, and marks files in `rows` whose bytes are missing or wrong. */
export class BlobRestorer {
  readonly restored: RestoredBlobs = {
    blobs: 0,
    blobBytes: 0,
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
    onProgress: (done: RestoredBlobs) => void,
  ): Promise<void> {
    const isListRight = (await findFileFault(this.#order.folder, list)) === undefined;
    const entries = isListRight ? readBlobList(join(this.#order.folder, list.name)) : this.#listFromRows();
    await forEachAtOnce(entries, BLOBS_AT_ONCE, async (entry) => {
      await this.#restore(entry);
      onProgress(this.restored);
    });
  }

  /**
   * Fallback for a damaged list: the rows have the CRC-32 of each file and determine the usual names of the copies.
   */
  async *#listFromRows(): AsyncGenerator<ListedBlob> {
    for await (const blob of listNamedBlobs(this.#order.rows, { withDamaged: true }))
      yield { storageKey: blob.storageKey, name: copyNameOf(blob), sizeBytes: blob.sizeBytes, crc32: null };
  }

  async #restore(entry: ListedBlob): Promise<void> {
    const { blobs, rows, folder, isContinued } = this.#order;
    const { storageKey, name, sizeBytes } = entry;
    const path = name === null ? undefined : join(folder, 'blobs', name);
    const verifier = new BlobVerifier(listBlobFiles(rows, storageKey));
    // An interrupted restore may have left a blob with another layout.
    await blobs.remove(storageKey);
    const isThere = path !== undefined && (await sizeOf(path)) !== undefined;
    const isRead = isThere && (await writeFromCopy(blobs, { path, storageKey, sizeBytes, verifier }));
    await verifier.end();
    const isRight = isRead && (entry.crc32 === null || verifier.crc32 === entry.crc32) && !entry.damagedFiles;
    if (!(isContinued || isRight)) {
      await blobs.remove(storageKey);
      throw new CommandError(
        EXIT.failed,
        `The backup is damaged: ${path ?? storageKey} does not match its digest.`,
      );
    }
    // Skip a damaged preview or background: there is no digest of its parts.
    const isUsable = isThere && (isRight || verifier.right + verifier.wrong.length > 0);
    if (isUsable) {
      this.restored.blobs += 1;
      this.restored.blobBytes += sizeBytes;
    } else {
      this.restored.missingBlobs += 1;
      await blobs.remove(storageKey);
    }
    await this.#recordDamage(verifier);
  }

  async #recordDamage({ wrong, healed }: BlobVerifier): Promise<void> {
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

/** `crc32` is null if the list is damaged. */
type ListedBlob = Omit<BlobEntry, 'crc32'> & { crc32: number | null };

type BlobWriting = { path: string; storageKey: string; sizeBytes: number; verifier: BlobVerifier };

const PIECE_BYTES = MIB;

/** Returns false if the copy has the wrong length or cannot be read completely; stores zeros instead. */
async function writeFromCopy(
  blobs: BlobStore,
  { path, storageKey, sizeBytes, verifier }: BlobWriting,
): Promise<boolean> {
  const file = await open(path, 'r');
  let isRight = (await file.stat()).size === sizeBytes;
  const readPieces = async function* (start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += PIECE_BYTES) {
      // Allocate each piece: the stream may still use the previous one.
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
      if (!(await readOrZeros(file, piece, at))) isRight = false;
      await verifier.add(piece);
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
