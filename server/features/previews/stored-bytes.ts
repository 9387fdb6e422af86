import { KIB } from '../../../contracts/values/sizes.ts';
import { type BlobOpener, type BlobSlice, blobSource } from '../../platform/lib/byte-source.ts';

const BLOCK_BYTES = 256 * KIB;

/** The first bytes of a file, at most `maxBytes`. Throws AppError `file_not_found`, `unavailable`. */
export async function readBytes(blobs: BlobOpener, slice: BlobSlice, maxBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(maxBytes, slice.sizeBytes));
  if (bytes.length === 0) return bytes;
  const reader = await blobSource(blobs, slice).open(0, bytes.length);
  try {
    await reader.fill(bytes);
    return bytes;
  } finally {
    await reader.close();
  }
}

/** Reads the whole file. The buffer is reused: each block overwrites the previous one. */
export async function* readBlocks(blobs: BlobOpener, slice: BlobSlice): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, slice.sizeBytes));
  if (block.length === 0) return;
  const reader = await blobSource(blobs, slice).open(0, slice.sizeBytes);
  try {
    for (let left = slice.sizeBytes; left > 0; left -= block.length) {
      const next = block.subarray(0, Math.min(block.length, left));
      await reader.fill(next);
      yield next;
    }
  } finally {
    await reader.close();
  }
}
