import { Readable } from 'node:stream';
import { chunkLength, planChunks } from '../../../contracts/plans/limits.ts';
import type { BlobStore, Place } from './blob-store.ts';

type Store = Pick<BlobStore, 'prepare' | 'writeChunk' | 'seal' | 'remove'>;

/** Bytes that lie elsewhere, of a known length. */
type Bytes = {
  sizeBytes: number;
  /** `[start, end)`, never empty; when storing fails, the stream is left as it is. */
  read(start: number, end: number): Readable;
};

/**
 * Stores bytes that the server has made itself (a picture) as a blob of their own, durably. Nothing is left when
 * it fails. Throws AppError `storage_full` and what the store throws.
 */
export function writeBlob(blobs: Store, storageKey: string, bytes: Buffer): Promise<void> {
  const read = (start: number, end: number) => Readable.from([bytes.subarray(start, end)]);
  return writeBlobFrom(blobs, storageKey, { sizeBytes: bytes.length, read });
}

/** As `writeBlob`, for more than fits into memory: read and stored piece by piece. */
export async function writeBlobFrom(
  blobs: Store,
  storageKey: string,
  { sizeBytes, read }: Bytes,
): Promise<void> {
  const { chunkSize, totalChunks: chunkCount } = planChunks(sizeBytes);
  const place: Place = { storageKey, offset: 0, firstSlot: 0, sizeBytes, chunkSize, chunkCount };
  try {
    await blobs.prepare(place);
    for (let index = 0; index < chunkCount; index += 1) {
      const start = index * chunkSize;
      const stream = read(start, start + chunkLength(sizeBytes, chunkSize, index));
      await blobs.writeChunk(place, { index, stream });
    }
    await blobs.seal([place]);
  } catch (error) {
    await blobs.remove(storageKey);
    throw error;
  }
}
