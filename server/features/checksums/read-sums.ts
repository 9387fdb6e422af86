import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KIB } from '../../../contracts/values/sizes.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { type BlobOpener, type BlobSlice, blobSource } from '../../platform/lib/byte-source.ts';
import { BlobEndsEarly } from '../../platform/storage/blob-store.ts';
import type { Pace } from './pace.ts';

/** Hashing this much takes about as long as handling a request. */
export const BLOCK_BYTES = 512 * KIB;

export type Sums = {
  crc32: number;
  /** undefined when the bytes were not read in one go: only a CRC-32 can be continued. */
  sha256: string | undefined;
};

/** How far a reading has come, and the CRC-32 of what it has read. */
export type Progress = { doneBytes: number; crc32: number };

export type ReadOptions = {
  /** Of `BLOCK_BYTES`; reused for every block. */
  block: Buffer;
  pace: Pace;
  signal: AbortSignal;
  /** Stops in time; undefined reads to the end. */
  isTimeUp?: () => boolean;
  /** Gets each block that was read; may keep it until its promise resolves. */
  onBlock?: (bytes: Buffer) => Promise<void>;
};

/**
 * Reads stored bytes once, a block at a time, for both sums. undefined when they are missing or fewer than
 * promised. Throws when the storage does not answer, or `signal` is aborted.
 */
export async function readSums(
  blobs: BlobOpener,
  place: BlobSlice,
  options: Omit<ReadOptions, 'isTimeUp'>,
): Promise<(Sums & { sha256: string }) | undefined> {
  const hash = createHash('sha256');
  const end = await continueReading(blobs, place, { ...options, hash, from: { doneBytes: 0, crc32: 0 } });
  return end && { crc32: end.crc32, sha256: hash.digest('hex') };
}

type Continuation = ReadOptions & { from: Progress; hash?: Hash | undefined };

/**
 * Reads on from where an earlier reading stopped, until the end or until time is up. The pages it reads may come
 * from the operating system's cache: Node cannot bypass it (no aligned O_DIRECT buffers, no posix_fadvise).
 * Returns undefined and throws as `readSums`.
 */
export async function continueReading(
  blobs: BlobOpener,
  place: BlobSlice,
  { from, hash, block, pace, signal, isTimeUp, onBlock }: Continuation,
): Promise<Progress | undefined> {
  let { doneBytes, crc32: sum } = from;
  if (doneBytes === place.sizeBytes) return from;
  try {
    const reader = await blobSource(blobs, place).open(doneBytes, place.sizeBytes);
    try {
      while (doneBytes < place.sizeBytes && !isTimeUp?.()) {
        signal.throwIfAborted();
        const piece = block.subarray(0, Math.min(place.sizeBytes - doneBytes, block.length));
        await reader.fill(piece);
        hash?.update(piece);
        sum = crc32(piece, sum);
        await onBlock?.(piece);
        doneBytes += piece.length;
        await pace.giveWay(piece.length);
      }
    } finally {
      await reader.close();
    }
    return { doneBytes, crc32: sum };
  } catch (error) {
    if (isAppError(error, 'file_not_found') || error instanceof BlobEndsEarly) return undefined;
    throw error;
  }
}
