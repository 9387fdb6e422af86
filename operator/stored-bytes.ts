import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { MIB } from '../contracts/values/sizes.ts';
import { isAppError } from '../server/platform/lib/app-error.ts';
import type { BlobOpener, BlobSlice } from '../server/platform/lib/byte-source.ts';
import { BlobEndsEarly } from '../server/platform/storage/blob-store.ts';

const BLOCK_BYTES = MIB;

/**
 * Runs at most `atOnce` tasks in parallel, each with a buffer of 1 MiB. After the first failure it starts no more
 * tasks, waits for the running ones, and then throws the failure.
 */
export async function forEachAtOnce<T>(
  source: AsyncGenerator<T>,
  atOnce: number,
  task: (each: T, block: Buffer) => Promise<void>,
): Promise<void> {
  let isStopped = false;
  const runNext = async () => {
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    try {
      for (let next = await source.next(); !next.done && !isStopped; next = await source.next())
        await task(next.value, block);
    } finally {
      isStopped = true;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, runNext));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

type Reading = {
  /** Reused for every piece. */
  block: Buffer;
  onPiece(piece: Buffer, position: number): void | Promise<void>;
};

/**
 * Reads a slice of a blob in order. Returns false if bytes are missing. Throws other storage errors and those of
 * `onPiece`.
 */
export async function readBlocks(
  blobs: BlobOpener,
  { storageKey, offset, sizeBytes }: BlobSlice,
  { block, onPiece }: Reading,
): Promise<boolean> {
  try {
    const range = await blobs.openRange(storageKey, offset, offset + sizeBytes);
    try {
      for (let done = 0; done < sizeBytes; ) {
        const piece = block.subarray(0, Math.min(block.length, sizeBytes - done));
        await range.fill([piece]);
        await onPiece(piece, done);
        done += piece.length;
      }
    } finally {
      await range.close();
    }
    return true;
  } catch (error) {
    if (isAppError(error, 'file_not_found') || error instanceof BlobEndsEarly) return false;
    throw error;
  }
}

type Writing = { path: string; block: Buffer };

/**
 * Copies a slice of a blob into a new file, synced to disk, and returns its CRC-32. If bytes are missing, writes no
 * file and returns undefined.
 */
export async function copyBytes(
  blobs: BlobOpener,
  slice: BlobSlice,
  { path, block }: Writing,
): Promise<number | undefined> {
  const draft = `${path}.tmp`;
  const file = await open(draft, 'w', 0o600);
  let sum = 0;
  let isWhole = false;
  try {
    isWhole = await readBlocks(blobs, slice, {
      block,
      async onPiece(piece, position) {
        sum = crc32(piece, sum);
        await writeAll(file, piece, position);
      },
    });
    if (isWhole) await file.datasync();
  } finally {
    await file.close();
    if (!isWhole) await rm(draft);
  }
  if (!isWhole) return undefined;
  await rename(draft, path);
  return sum;
}

export async function writeAll(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let at = 0; at < piece.length; )
    at += (await file.write(piece, at, piece.length - at, position + at)).bytesWritten;
}
