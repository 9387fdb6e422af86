import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KIB } from '../../../contracts/sizes.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type BlobOpener, type BlobSlice, blobSource } from '../../platform/lib/byte-source.ts';
import { BlobEndsEarly } from '../../platform/storage/blob-ends-early.ts';
import type { Pace } from './pace.ts';

/** Hashing so much takes about as long as handling a request. */
export const BLOCK_BYTES = 512 * KIB;

type Sums = { crc32: number; sha256: string };

type Reading = {
  /** Of `BLOCK_BYTES`; used over and over. */
  block: Buffer;
  pace: Pace;
  signal: AbortSignal;
};

/**
 * Reads stored bytes once, a block at a time, for both sums. undefined when they are missing or fewer than
 * promised. Throws when the storage does not answer, or `signal` is aborted.
 */
export async function readSums(
  blobs: BlobOpener,
  place: BlobSlice,
  reading: Reading,
): Promise<Sums | undefined> {
  try {
    return await sumUp(blobs, place, reading);
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'file_not_found';
    if (isGone || error instanceof BlobEndsEarly) return undefined;
    throw error;
  }
}

async function sumUp(
  blobs: BlobOpener,
  place: BlobSlice,
  { block, pace, signal }: Reading,
): Promise<Sums | undefined> {
  const hash = createHash('sha256');
  let sum = 0;
  if (place.sizeBytes > 0) {
    const reader = await blobSource(blobs, place).open(0, place.sizeBytes);
    try {
      for (let left = place.sizeBytes; left > 0; ) {
        signal.throwIfAborted();
        const piece = block.subarray(0, Math.min(left, block.length));
        await reader.fill(piece);
        hash.update(piece);
        sum = crc32(piece, sum);
        left -= piece.length;
        await pace.giveWay();
      }
    } finally {
      await reader.close();
    }
  }
  return { crc32: sum, sha256: hash.digest('hex') };
}
