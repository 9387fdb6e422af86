import { Readable } from 'node:stream';
import { chunkLength, planChunks } from '../../../../contracts/plans/limits.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import { isAppError } from '../../lib/app-error.ts';
import type { BlobStore, Place, StoredBlob } from '../blob-store.ts';
import type { MovingStore } from './moving-store.ts';

const PIECE_BYTES = 256 * KIB;
const BLOCK_BYTES = MIB;
/** A life-cycle rule may delete parts of an unfinished S3 upload; they are sent again. */
const MAX_TRIES = 3;

export type Move = {
  /** Throttles: resolves when this many bytes may be read. */
  pace(bytes: number): Promise<void>;
  /** True if the blob has no writers and will get none. */
  isAtRest(): Promise<boolean>;
  signal?: AbortSignal | undefined;
};

/** `busy`: it still has writers. `gone`: it was removed meanwhile. */
export type MoveOutcome = 'moved' | 'busy' | 'gone';

/**
 * Copies a blob to the bucket, compares both byte by byte, and only then removes it from disk. Can be aborted
 * and repeated: stored parts are not sent again. Throws the stores' errors, and Error if the copy differs.
 */
export async function moveBlob(store: MovingStore, blob: StoredBlob, move: Move): Promise<MoveOutcome> {
  const { storageKey, sizeBytes } = blob;
  if (!(await move.isAtRest())) return 'busy';
  try {
    if (sizeBytes > 0) {
      await copy(store, layOut(blob), move);
      await compare(store, blob, move);
    }
  } catch (error) {
    const isGone = isAppError(error, 'file_not_found') || isAppError(error, 'upload_not_found');
    if (!isGone) throw error;
    await store.bucket.remove(storageKey);
    return 'gone';
  }
  if (!(await move.isAtRest())) return 'busy';
  await store.disk.remove(storageKey);
  return 'moved';
}

function layOut({ storageKey, sizeBytes }: StoredBlob): Place {
  const { chunkSize, totalChunks: chunkCount } = planChunks(sizeBytes);
  return { storageKey, offset: 0, firstSlot: 0, sizeBytes, chunkSize, chunkCount };
}

async function copy({ disk, bucket }: MovingStore, place: Place, move: Move): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await bucket.prepare(place);
    const there = new Set((await bucket.listChunks(place)).map(({ index }) => index));
    for (let index = 0; index < place.chunkCount; index += 1) {
      if (there.has(index)) continue;
      const start = index * place.chunkSize;
      const end = start + chunkLength(place.sizeBytes, place.chunkSize, index);
      const stream = Readable.from(readPieces(disk, { ...place, start, end }, move), { objectMode: false });
      await bucket.writeChunk(place, { index, stream }).catch((error: unknown) => {
        throw stream.errored ?? error;
      });
    }
    try {
      await bucket.seal([place]);
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !isAppError(error, 'chunks_missing')) throw error;
    }
  }
}

type Span = { storageKey: string; start: number; end: number };

async function* readPieces(
  disk: BlobStore,
  { storageKey, start, end }: Span,
  { pace, signal }: Move,
): AsyncGenerator<Buffer> {
  const range = await disk.openRange(storageKey, start, end);
  try {
    for (let at = start; at < end; at += PIECE_BYTES) {
      signal?.throwIfAborted();
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
      await pace(piece.length);
      await range.fill([piece]);
      yield piece;
    }
  } finally {
    await range.close();
  }
}

async function compare(
  { disk, bucket }: MovingStore,
  { storageKey, sizeBytes }: StoredBlob,
  { pace, signal }: Move,
): Promise<void> {
  const ours = await disk.openRange(storageKey, 0, sizeBytes);
  const theirs = await bucket.openRange(storageKey, 0, sizeBytes).catch(async (error: unknown) => {
    await ours.close();
    throw error;
  });
  const [left, right] = [Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)];
  try {
    for (let at = 0; at < sizeBytes; at += BLOCK_BYTES) {
      signal?.throwIfAborted();
      const length = Math.min(BLOCK_BYTES, sizeBytes - at);
      await pace(length);
      await Promise.all([ours.fill([left.subarray(0, length)]), theirs.fill([right.subarray(0, length)])]);
      if (left.compare(right, 0, length, 0, length) === 0) continue;
      await bucket.remove(storageKey);
      throw new Error(`The bucket returned other bytes of ${storageKey} than were put into it`);
    }
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}
