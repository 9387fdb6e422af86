import { isAppError } from '../../lib/app-error.ts';
import type {
  BlobRange,
  BlobStore,
  ChunkBody,
  ChunkHead,
  ChunkNote,
  ChunkTail,
  DirectAccess,
  Place,
  SealedFile,
  StoredBlob,
  TrashedBlob,
} from '../blob-store.ts';

export type MovingParts = {
  disk: BlobStore;
  bucket: BlobStore;
  isOnDisk(storageKey: string): Promise<boolean>;
  /** Packs exist only for uploads that began on disk. */
  isPack(storageKey: string): Promise<boolean>;
};

/**
 * The store while files move from disk to a bucket. New blobs go to the bucket; uploads that began on disk
 * finish there. A blob leaves the disk only once it is complete in the bucket (`moveBlob`), so reading disk
 * first, then bucket, always finds it.
 */
export class MovingStore implements BlobStore {
  readonly packsSmallFiles = false;
  /** New uploads go to the bucket. */
  readonly readsOpenUploads = false;
  readonly direct: DirectAccess | undefined;
  readonly disk: BlobStore;
  readonly bucket: BlobStore;
  readonly #isOnDisk: MovingParts['isOnDisk'];
  readonly #isPack: MovingParts['isPack'];

  constructor({ disk, bucket, isOnDisk, isPack }: MovingParts) {
    this.disk = disk;
    this.bucket = bucket;
    this.#isOnDisk = isOnDisk;
    this.#isPack = isPack;
    this.direct = bucket.direct && directOfMoved(bucket.direct, isOnDisk);
  }

  async prepare(place: Place): Promise<void> {
    await (await this.#homeOf(place)).prepare(place);
  }

  async writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    // The client may disconnect before the store listens to the stream.
    chunk.stream.on('error', () => {});
    return (await this.#homeOf(place)).writeChunk(place, chunk);
  }

  async findHead(place: Place, index: number): Promise<ChunkHead> {
    return (await this.#homeOf(place)).findHead(place, index);
  }

  async growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead> {
    tail.stream.on('error', () => {});
    return (await this.#homeOf(place)).growChunk(place, tail);
  }

  async listChunks(place: Place): Promise<ChunkNote[]> {
    return (await this.#homeOf(place)).listChunks(place);
  }

  async seal(places: Place[]): Promise<SealedFile[]> {
    const sealed: SealedFile[] = [];
    const homes = await Promise.all(places.map((place) => this.#homeOf(place)));
    for (const store of [this.disk, this.bucket]) {
      const positions = [...places.keys()].filter((position) => homes[position] === store);
      if (positions.length === 0) continue;
      const files = await sealIn(store, places, positions);
      for (const [index, position] of positions.entries()) sealed[position] = files[index]!;
    }
    return sealed;
  }

  async discard(place: Place): Promise<void> {
    await (await this.#homeOf(place)).discard(place);
  }

  async openRange(storageKey: string, start: number, end: number): Promise<BlobRange> {
    try {
      return await this.disk.openRange(storageKey, start, end);
    } catch (error) {
      if (!isAppError(error, 'file_not_found')) throw error;
      return this.bucket.openRange(storageKey, start, end);
    }
  }

  /** Disk first: a concurrent move that no longer finds the blob there deletes its copy in the bucket. */
  async remove(storageKey: string): Promise<void> {
    await this.disk.remove(storageKey);
    await this.bucket.remove(storageKey);
  }

  async *list(): AsyncIterable<StoredBlob> {
    yield* this.disk.list();
    for await (const blob of this.bucket.list()) if (!(await this.#isOnDisk(blob.storageKey))) yield blob;
  }

  async moveToTrash(blob: StoredBlob, now: number): Promise<void> {
    const isOnDisk = await this.#isOnDisk(blob.storageKey);
    await (isOnDisk ? this.disk : this.bucket).moveToTrash(blob, now);
  }

  async *listTrash(): AsyncIterable<TrashedBlob> {
    yield* this.disk.listTrash();
    yield* this.bucket.listTrash();
  }

  async restoreFromTrash(storageKey: string): Promise<boolean> {
    const fromDisk = await this.disk.restoreFromTrash(storageKey);
    const fromBucket = await this.bucket.restoreFromTrash(storageKey);
    return fromDisk || fromBucket;
  }

  async removeFromTrash(storageKey: string): Promise<void> {
    await this.disk.removeFromTrash(storageKey);
    await this.bucket.removeFromTrash(storageKey);
  }

  freeSpace(): ReturnType<BlobStore['freeSpace']> {
    return this.bucket.freeSpace();
  }

  async check(): Promise<void> {
    await Promise.all([this.disk.check(), this.bucket.check()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.disk.close(), this.bucket.close()]);
  }

  /** After a crash, a place's blob on disk may be missing; a pack is still recognized. */
  async #homeOf({ storageKey, offset, firstSlot, chunkCount }: Place): Promise<BlobStore> {
    if (offset > 0 || firstSlot > 0 || (await this.#isOnDisk(storageKey))) return this.disk;
    return chunkCount === 1 && (await this.#isPack(storageKey)) ? this.disk : this.bucket;
  }
}

/** Translates the refusal's position to the whole call's. */
async function sealIn(store: BlobStore, places: Place[], positions: number[]): Promise<SealedFile[]> {
  try {
    return await store.seal(positions.map((position) => places[position]!));
  } catch (error) {
    if (isAppError(error, 'chunks_missing')) {
      error.details.position = positions[error.details.position as number];
    }
    throw error;
  }
}

/** Closed for blobs still on disk, because the bucket may have only part of them. */
function directOfMoved(direct: DirectAccess, isOnDisk: MovingParts['isOnDisk']): DirectAccess {
  return {
    origin: direct.origin,
    get isOpen() {
      return direct.isOpen;
    },
    verify: (pageOrigin) => direct.verify(pageOrigin),
    signChunk: async (place, note) =>
      (await isOnDisk(place.storageKey)) ? undefined : direct.signChunk(place, note),
    confirmChunks: async (place, indexes) =>
      (await isOnDisk(place.storageKey)) ? [] : direct.confirmChunks(place, indexes),
    signRead: async (blob, head) =>
      (await isOnDisk(blob.storageKey)) ? undefined : direct.signRead(blob, head),
  };
}
