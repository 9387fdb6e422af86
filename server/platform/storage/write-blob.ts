import { Readable } from 'node:stream';
import { chunkLength, planChunks } from '../../../contracts/limits.ts';
import type { BlobStore, Place } from './blob-store.ts';

/**
 * Stores bytes that the server has made itself (a picture) as a blob of their own, durably. Nothing is left when
 * it fails. Throws AppError `storage_full` and what the store throws.
 */
export async function writeBlob(
  blobs: Pick<BlobStore, 'prepare' | 'writeChunk' | 'seal' | 'remove'>,
  storageKey: string,
  bytes: Buffer,
): Promise<void> {
  const sizeBytes = bytes.length;
  const { chunkSize, totalChunks: chunkCount } = planChunks(sizeBytes);
  const place: Place = { storageKey, offset: 0, firstSlot: 0, sizeBytes, chunkSize, chunkCount };
  try {
    await blobs.prepare(place);
    for (let index = 0; index < chunkCount; index += 1) {
      const start = index * chunkSize;
      const chunk = bytes.subarray(start, start + chunkLength(sizeBytes, chunkSize, index));
      await blobs.writeChunk(place, { index, stream: Readable.from([chunk]) });
    }
    await blobs.seal([place]);
  } catch (error) {
    await blobs.remove(storageKey);
    throw error;
  }
}
