import { isAppError } from '../../platform/lib/app-error.ts';
import type { BlobOpener, BlobSlice } from '../../platform/lib/byte-source.ts';
import { BlobEndsEarly } from '../../platform/storage/blob-store.ts';

type Reading = { block: Buffer; onPiece(piece: Buffer, position: number): void | Promise<void> };

/**
 * Reads stored bytes from first to last through one block. Returns false when they are missing or fewer than
 * promised; throws what else goes wrong, also what `onPiece` throws.
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
