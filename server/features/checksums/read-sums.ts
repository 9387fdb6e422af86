import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KIB } from '../../../contracts/values/sizes.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { type BlobOpener, type BlobSlice, blobSource } from '../../platform/lib/byte-source.ts';
import { BlobEndsEarly } from '../../platform/storage/blob-store.ts';
import type { Pace } from './pace.ts';

/** Hashing a block takes about as long as handling a request. */
export const BLOCK_BYTES = 512 * KIB;

export type Sums = {
  crc32: number;
  /** undefined if the bytes were not read in one go: only the CRC-32 can be resumed. */
  sha256: string | undefined;
};

export type Progress = { doneBytes: number; crc32: number };

export type ReadOptions = {
  /** Of `BLOCK_BYTES`; reused for every block. */
  block: Buffer;
  pace: Pace;
  signal: AbortSignal;
  isTimeUp?: () => boolean;
  /** Receives each block; the buffer is reused once the promise resolves. */
  onBlock?: (bytes: Buffer) => Promise<void>;
};

/**
 * Computes both sums in one read of the stored bytes. Returns undefined if they are missing or too few. Throws if the
 * storage is unreachable or `signal` is aborted.
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
 * Resumes a read at `from` until the end or until the time is up. The bytes may come from the operating system's page
 * cache, which Node cannot bypass (no aligned O_DIRECT buffers, no posix_fadvise). Returns undefined and throws like
 * `readSums`.
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
        await pace.throttle(piece.length);
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
