import { Readable } from 'node:stream';
import { chunkLength, planChunks } from '../../../contracts/plans/limits.ts';
import type { BlobStore, Place } from './blob-store.ts';

type Store = Pick<BlobStore, 'prepare' | 'writeChunk' | 'seal' | 'remove'>;

type Bytes = {
  sizeBytes: number;
  /** `end` is exclusive; the range is never empty. */
  read(start: number, end: number): Readable;
};

/** Durable; leaves nothing behind on failure. Throws AppError `storage_full` and the store's errors. */
export function writeBlob(blobs: Store, storageKey: string, bytes: Buffer): Promise<void> {
  const read = (start: number, end: number) => Readable.from([bytes.subarray(start, end)]);
  return writeBlobFrom(blobs, storageKey, { sizeBytes: bytes.length, read });
}

/** For more than fits into memory: reads and stores piece by piece. */
export async function writeBlobFrom(
  blobs: Store,
  storageKey: string,
  { sizeBytes, read }: Bytes,
): Promise<void> {
  const place = placeOfBlob(storageKey, sizeBytes);
  try {
    await writeChunks(blobs, place, read);
    await blobs.seal([place]);
  } catch (error) {
    await blobs.remove(storageKey);
    throw error;
  }
}

/** A blob of one file. */
export function placeOfBlob(storageKey: string, sizeBytes: number): Place {
  const { chunkSize, totalChunks: chunkCount } = planChunks(sizeBytes);
  return { storageKey, offset: 0, firstSlot: 0, sizeBytes, chunkSize, chunkCount };
}

/** The caller seals the place, or removes the blob. */
export async function writeChunks(
  blobs: Pick<BlobStore, 'prepare' | 'writeChunk'>,
  place: Place,
  read: Bytes['read'],
): Promise<void> {
  await blobs.prepare(place);
  for (let index = 0; index < place.chunkCount; index += 1) {
    const start = index * place.chunkSize;
    const stream = read(start, start + chunkLength(place.sizeBytes, place.chunkSize, index));
    await blobs.writeChunk(place, { index, stream });
  }
}
