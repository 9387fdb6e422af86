import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  BlobEndsEarly,
  type BlobRange,
  type BlobStore,
  type ChunkBody,
  type ChunkHead,
  type ChunkNote,
  type ChunkTail,
  chunkLengthAt,
  type Place,
  type SealedFile,
  type StoredBlob,
  type TrashedBlob,
} from '../blob-store.ts';
import { receiveChunk, receiveTail } from '../receive-chunk.ts';
import { combineChunks, refuseGaps } from '../seal-files.ts';

export type MemoryStoreOptions = {
  clock: Clock;
  capacityBytes?: number;
};

type MemoryBlob = { bytes: Buffer; notes: Map<number, ChunkHead>; modifiedAt: number };

type Arrived = { index: number; from: number; pieces: Buffer[]; note: ChunkHead };

/** For tests: behaves like the disk store, without its durability. */
export class MemoryStore implements BlobStore {
  readonly packsSmallFiles = true;
  readonly readsOpenUploads = true;
  readonly #clock: Clock;
  readonly #capacityBytes: number | undefined;
  readonly #blobs = new Map<string, MemoryBlob>();
  readonly #trash = new Map<string, MemoryBlob & { trashedAt: number }>();

  constructor({ clock, capacityBytes }: MemoryStoreOptions) {
    this.#clock = clock;
    this.#capacityBytes = capacityBytes;
  }

  async prepare({ storageKey }: Place): Promise<void> {
    if (this.#blobs.has(storageKey)) return;
    this.#blobs.set(storageKey, {
      bytes: Buffer.alloc(0),
      notes: new Map(),
      modifiedAt: this.#clock.now(),
    });
  }

  async writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    const sizeBytes = chunkLengthAt(place, chunk.index);
    const pieces: Buffer[] = [];
    const crc32 = await receiveChunk(chunk, sizeBytes, (piece) => {
      pieces.push(piece);
      return undefined;
    });
    const earlier = this.#blobs.get(place.storageKey)?.notes.get(place.firstSlot + chunk.index);
    const differs = earlier?.sizeBytes === sizeBytes && earlier.crc32 !== crc32;
    if (differs && chunk.mayReplace && !(await chunk.mayReplace()))
      throw new AppError('chunk_differs', { details: { index: chunk.index } });
    this.#put(place, { index: chunk.index, from: 0, pieces, note: { sizeBytes, crc32 } });
    return { index: chunk.index, crc32 };
  }

  async findHead({ storageKey, firstSlot }: Place, index: number): Promise<ChunkHead> {
    const blob = this.#blobs.get(storageKey);
    if (!blob) throw new AppError('upload_not_found');
    return blob.notes.get(firstSlot + index) ?? { sizeBytes: 0, crc32: 0 };
  }

  async growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead> {
    const pieces: Buffer[] = [];
    const note = await receiveTail(tail, chunkLengthAt(place, tail.index), (piece) => {
      pieces.push(piece);
      return undefined;
    });
    if (pieces.length > 0) this.#put(place, { index: tail.index, from: tail.head.sizeBytes, pieces, note });
    return note;
  }

  async listChunks(place: Place): Promise<ChunkNote[]> {
    return this.#listNotes(place).filter((note) => note !== undefined);
  }

  async seal(places: Place[]): Promise<SealedFile[]> {
    const notes = places.map((place) => this.#listNotes(place));
    refuseGaps(places, notes);
    return places.map((place, position) => combineChunks(place, notes[position]!));
  }

  /** A file of one chunk may share a pack, where it leaves a hole. */
  async discard(place: Place): Promise<void> {
    if (place.chunkCount > 1) return this.remove(place.storageKey);
    this.#blobs.get(place.storageKey)?.notes.delete(place.firstSlot);
  }

  async openRange(storageKey: string, start: number, end: number): Promise<BlobRange> {
    await this.restoreFromTrash(storageKey);
    const blob = this.#blobs.get(storageKey);
    if (!blob) throw new AppError('file_not_found');
    let position = start;
    return {
      async fill(views) {
        for (const view of views) {
          const next = position + view.length;
          const known = Math.min(end, blob.bytes.length);
          if (next > known) throw new BlobEndsEarly(next - known);
          blob.bytes.copy(view, 0, position, next);
          position = next;
        }
      },
      async close() {},
    };
  }

  async remove(storageKey: string): Promise<void> {
    this.#blobs.delete(storageKey);
    this.#trash.delete(storageKey);
  }

  async *list(): AsyncIterable<StoredBlob> {
    for (const [storageKey, { bytes, modifiedAt }] of this.#blobs) {
      yield { storageKey, sizeBytes: bytes.length, modifiedAt };
    }
  }

  async moveToTrash({ storageKey }: StoredBlob, now: number): Promise<void> {
    const blob = this.#blobs.get(storageKey);
    if (!blob) return;
    this.#blobs.delete(storageKey);
    this.#trash.set(storageKey, { ...blob, trashedAt: now });
  }

  async *listTrash(): AsyncIterable<TrashedBlob> {
    for (const [storageKey, { bytes, trashedAt }] of this.#trash) {
      yield { storageKey, sizeBytes: bytes.length, trashedAt };
    }
  }

  async restoreFromTrash(storageKey: string): Promise<boolean> {
    const blob = this.#trash.get(storageKey);
    if (!blob) return false;
    this.#trash.delete(storageKey);
    if (!this.#blobs.has(storageKey)) this.#blobs.set(storageKey, blob);
    return true;
  }

  async removeFromTrash(storageKey: string): Promise<void> {
    this.#trash.delete(storageKey);
  }

  async freeSpace(): Promise<{ freeBytes: number; totalBytes: number } | undefined> {
    if (this.#capacityBytes === undefined) return undefined;
    return { freeBytes: this.#capacityBytes - this.#usedBytes(), totalBytes: this.#capacityBytes };
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {
    this.#blobs.clear();
  }

  #listNotes(place: Place): (ChunkNote | undefined)[] {
    const notes = this.#blobs.get(place.storageKey)?.notes;
    return Array.from({ length: place.chunkCount }, (_, index) => {
      const note = notes?.get(place.firstSlot + index);
      return note?.sizeBytes === chunkLengthAt(place, index) ? { index, crc32: note.crc32 } : undefined;
    });
  }

  #put(place: Place, { index, from, pieces, note }: Arrived): void {
    const blob = this.#blobs.get(place.storageKey);
    if (!blob) throw new AppError('upload_not_found');
    const position = place.offset + index * place.chunkSize;
    this.#grow(blob, position + note.sizeBytes);
    Buffer.concat(pieces).copy(blob.bytes, position + from);
    blob.notes.set(place.firstSlot + index, note);
    blob.modifiedAt = this.#clock.now();
  }

  #grow(blob: MemoryBlob, sizeBytes: number): void {
    const missingBytes = sizeBytes - blob.bytes.length;
    if (missingBytes <= 0) return;
    if (this.#usedBytes() + missingBytes > (this.#capacityBytes ?? Number.POSITIVE_INFINITY)) {
      throw new AppError('storage_full');
    }
    blob.bytes = Buffer.concat([blob.bytes], sizeBytes);
  }

  #usedBytes(): number {
    let usedBytes = 0;
    for (const { bytes } of this.#blobs.values()) usedBytes += bytes.length;
    return usedBytes;
  }
}
