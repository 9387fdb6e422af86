import { tmpdir } from 'node:os';
import type { S3 } from '@aws-sdk/client-s3';
import { AppError } from '../../lib/app-error.ts';
import { ConcurrencyLimit } from '../../lib/concurrency/concurrency-limit.ts';
import {
  type BlobRange,
  type BlobStore,
  type ChunkBody,
  type ChunkHead,
  type ChunkNote,
  type ChunkTail,
  chunkLengthAt,
  type DirectAccess,
  type Place,
  type SealedFile,
  type StoredBlob,
  type TrashedBlob,
} from '../blob-store.ts';
import { BufferedChunk, MemoryBudget } from '../buffered-chunk.ts';
import { openS3Direct } from '../direct/s3-direct.ts';
import { isStorageKey } from '../disk/blob-files.ts';
import { bucketMarker, type InstallationMarker } from '../installation/installation-marker.ts';
import { chunkInterrupted, outliveStreamErrors, receiveChunk, requireLease } from '../receive-chunk.ts';
import { combineChunks, refuseGaps } from '../seal-files.ts';
import type { PartNotes } from './part-notes.ts';
import { codeOf, openS3Client, type S3ClientOptions, S3Requests, unavailable } from './s3-client.ts';
import { S3Heads, S3Multiparts } from './s3-multiparts.ts';
import { S3Objects } from './s3-objects.ts';
import { S3Range } from './s3-range.ts';
import { S3Trash } from './s3-trash.ts';

const DEFAULT_PREFIX = 'blobs/';
const MEMORY_FOR_CHUNKS_BYTES = 64 * 1024 * 1024;
const MAX_SENDING_AT_ONCE = 32;
const MAX_SEALING_AT_ONCE = 16;

export type S3StoreOptions = S3ClientOptions & {
  bucket: string;
  /** Ends with a slash; `blobs/` by default. */
  prefix?: string | undefined;
  notes: PartNotes;
  direct?: boolean;
  /** For chunks that exceed the memory; the system's temporary folder by default. */
  spillFolder?: string;
  /** For arriving chunks; 64 MiB by default. */
  memoryBytes?: number;
  answerMs?: number;
  firstPauseMs?: number;
};

/** Loads the SDK only here. */
export async function openS3BlobStore(
  options: S3StoreOptions,
): Promise<BlobStore & { readonly marker: InstallationMarker }> {
  const client = await openS3Client(options);
  const { answerMs = 20_000, firstPauseMs = 300 } = options;
  const requests = new S3Requests({ answerMs, firstPauseMs });
  const place = { bucket: options.bucket, prefix: options.prefix ?? DEFAULT_PREFIX };
  const objects = new S3Objects(client, requests, place);
  const direct = options.direct ? await openS3Direct({ client, objects, ...options, ...place }) : undefined;
  return new S3BlobStore({ client, requests, objects, direct }, options);
}

type Parts = { client: S3; requests: S3Requests; objects: S3Objects; direct: DirectAccess | undefined };

/**
 * One object per file: one PUT for a file of one chunk, otherwise a multipart upload with one part per chunk.
 * S3 gets only complete, checked chunks.
 */
class S3BlobStore implements BlobStore {
  readonly packsSmallFiles = false;
  readonly readsOpenUploads = false;
  readonly direct: DirectAccess | undefined;
  readonly marker: InstallationMarker;
  readonly #client: S3;
  readonly #notes: PartNotes;
  readonly #requests: S3Requests;
  readonly #objects: S3Objects;
  readonly #heads: S3Heads;
  readonly #trash: S3Trash;
  readonly #memory: MemoryBudget;
  readonly #spillFolder: string;
  readonly #multiparts: S3Multiparts;
  readonly #sending = new ConcurrencyLimit(MAX_SENDING_AT_ONCE);
  readonly #sealing = new ConcurrencyLimit(MAX_SEALING_AT_ONCE);

  constructor({ client, requests, objects, direct }: Parts, options: S3StoreOptions) {
    this.#client = client;
    this.#requests = requests;
    this.#objects = objects;
    this.direct = direct;
    this.marker = bucketMarker(objects);
    this.#notes = options.notes;
    this.#multiparts = new S3Multiparts({
      notes: options.notes,
      objects,
      acceptsDirectParts: () => direct?.isOpen ?? false,
    });
    this.#heads = new S3Heads(options.notes, objects, (...range) => this.openRange(...range));
    this.#trash = new S3Trash(objects);
    this.#memory = new MemoryBudget(options.memoryBytes ?? MEMORY_FOR_CHUNKS_BYTES);
    this.#spillFolder = options.spillFolder ?? tmpdir();
  }

  async prepare(place: Place): Promise<void> {
    if (place.chunkCount > 1) await this.#multiparts.begin(place.storageKey);
  }

  async writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    outliveStreamErrors(chunk);
    const sizeBytes = chunkLengthAt(place, chunk.index);
    const held = new BufferedChunk(this.#memory, this.#spillFolder);
    try {
      const crc32 = await receiveChunk(chunk, sizeBytes, (bytes) => held.add(bytes));
      const etag = await this.#sending.run(() => this.#storeChunk(place, chunk, { held, crc32 }));
      requireLease(chunk);
      await this.#notes.savePart(place.storageKey, { index: chunk.index, sizeBytes, crc32, etag });
      return { index: chunk.index, crc32 };
    } finally {
      await held.release();
    }
  }

  async findHead(place: Place, index: number): Promise<ChunkHead> {
    return this.#heads.find(place, index);
  }

  async growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead> {
    outliveStreamErrors(tail);
    const held = new BufferedChunk(this.#memory, this.#spillFolder);
    try {
      const grown = await this.#heads.receive(held, place, tail);
      const { sizeBytes, crc32 } = grown;
      if (sizeBytes === tail.head.sizeBytes) return grown;
      requireLease(tail);
      if (sizeBytes < chunkLengthAt(place, tail.index)) {
        await this.#sending.run(() => this.#heads.keep(place, tail.index, { held, head: grown }));
        return grown;
      }
      const etag = await this.#sending.run(() => this.#storeChunk(place, tail, { held, crc32 }));
      requireLease(tail);
      await this.#notes.savePart(place.storageKey, { index: tail.index, ...grown, etag });
      await this.#heads.delete(place.storageKey);
      return grown;
    } finally {
      await held.release();
    }
  }

  async listChunks(place: Place): Promise<ChunkNote[]> {
    const parts = await this.#notes.listParts(place.storageKey);
    return parts.map(({ index, crc32 }) => ({ index, crc32 }));
  }

  /** Keeps the notes, so that a seal whose caller crashed can be repeated. */
  async seal(places: Place[]): Promise<SealedFile[]> {
    const notes: (ChunkNote | undefined)[][] = [];
    for (const place of places) notes.push(spread(place, await this.listChunks(place)));
    refuseGaps(places, notes);
    const results = await Promise.allSettled(
      places.map((place, position) => this.#sealing.run(() => this.#finish(place, position))),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return places.map((place, position) => combineChunks(place, notes[position]!));
  }

  async discard(place: Place): Promise<void> {
    await this.remove(place.storageKey);
  }

  async openRange(storageKey: string, start: number, end: number): Promise<BlobRange> {
    const openBody = (from: number, to: number, etag?: string) =>
      this.#objects.openBody(storageKey, { start: from, end: to }, etag);
    const range = new S3Range(this.#requests, openBody, { start, end });
    if (start < end) await range.open();
    else await this.#objects.getSize(storageKey);
    return range;
  }

  async remove(storageKey: string): Promise<void> {
    const multipart = await this.#notes.findMultipart(storageKey);
    if (multipart) await this.#objects.abortMultipart(storageKey, multipart.multipartId);
    await this.#objects.remove(storageKey);
    await this.#heads.delete(storageKey);
    await this.#notes.clear(storageKey);
  }

  /**
   * Lists objects, then unfinished multipart uploads. One whose id was lost (kill -9 before it was recorded)
   * is recorded again, so that `remove` frees its parts.
   */
  async *list(): AsyncIterable<StoredBlob> {
    for await (const blob of this.#trash.without(this.#objects.list()))
      if (isStorageKey(blob.storageKey)) yield blob;
    for await (const { multipartId, ...blob } of this.#trash.without(this.#objects.listMultiparts())) {
      if (!isStorageKey(blob.storageKey)) continue;
      await this.#notes.saveMultipart(blob.storageKey, { multipartId, carriesCrc32: false });
      yield blob;
    }
  }

  moveToTrash(blob: StoredBlob, now: number): Promise<void> {
    return this.#trash.put(blob, now);
  }

  listTrash(): AsyncIterable<TrashedBlob> {
    return this.#trash.list();
  }

  restoreFromTrash(storageKey: string): Promise<boolean> {
    return this.#trash.restore(storageKey);
  }

  /** Deletes the mark last, so that a crash leaves the blob listed. */
  async removeFromTrash(storageKey: string): Promise<void> {
    if (!(await this.#trash.has(storageKey))) return;
    await this.remove(storageKey);
    await this.#trash.restore(storageKey);
  }

  async freeSpace(): Promise<undefined> {
    return undefined;
  }

  async check(): Promise<void> {
    await this.#objects.checkBucket();
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #storeChunk(
    place: Place,
    chunk: ChunkBody,
    { held, crc32 }: { held: BufferedChunk; crc32: number },
  ): Promise<string> {
    const { index, signal } = chunk;
    requireLease(chunk);
    const key = place.storageKey;
    const body = { open: () => held.open(), sizeBytes: chunkLengthAt(place, index), signal };
    const multipart = place.chunkCount > 1 ? await this.#notes.findMultipart(key) : undefined;
    try {
      if (place.chunkCount <= 1) return await this.#objects.put(key, body);
      if (!multipart) throw new AppError('upload_not_found');
      return await this.#objects.putPart(key, { ...multipart, number: index + 1, crc32 }, body);
    } catch (error) {
      if (signal?.aborted) throw chunkInterrupted(error);
      if (codeOf(error) !== 'NoSuchUpload') throw error;
      await this.#multiparts.restart(key, multipart);
      throw unavailable(error);
    }
  }

  /** Throws AppError `chunks_missing` if S3 lacks a recorded chunk. */
  async #finish(place: Place, position: number): Promise<void> {
    const missing = await this.#findLost(place);
    if (missing.length === 0) return;
    for (const index of missing) await this.#notes.removePart(place.storageKey, index);
    throw new AppError('chunks_missing', { details: { count: missing.length, missing, position } });
  }

  /** Completes the object, or returns the indexes of chunks that don't match their notes. */
  async #findLost(place: Place): Promise<number[]> {
    const key = place.storageKey;
    if (place.chunkCount === 0) {
      await this.#objects.putEmpty(key);
      return [];
    }
    const parts = await this.#notes.listParts(key);
    if (place.chunkCount === 1) {
      const found = await this.#objects.find(key);
      return found?.sizeBytes === place.sizeBytes && found.etag === parts[0]?.etag ? [] : [0];
    }
    const multipart = await this.#notes.findMultipart(key);
    const outcome = multipart ? await this.#objects.complete(key, multipart, parts) : 'gone';
    if (outcome === 'refused') {
      const stored = await this.#objects.listPartTags(key, multipart!.multipartId);
      const lost = parts.filter((part) => stored.get(part.index + 1) !== part.etag);
      if (lost.length === 0)
        throw unavailable(new Error('S3 refused to join parts although it has all of them'));
      return lost.map((part) => part.index);
    }
    // An earlier seal may have joined the parts already.
    const found = await this.#objects.find(key);
    if (found?.sizeBytes === place.sizeBytes) return [];
    if (outcome === 'done') throw unavailable(new Error('The joined object has the wrong length'));
    await this.#multiparts.restart(key, multipart);
    return parts.map((part) => part.index);
  }
}

function spread(place: Place, notes: ChunkNote[]): (ChunkNote | undefined)[] {
  const byIndex = new Array<ChunkNote | undefined>(place.chunkCount).fill(undefined);
  for (const note of notes) byIndex[note.index] = note;
  return byIndex;
}
