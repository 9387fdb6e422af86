import { crc32 } from 'node:zlib';
import { type BlobRange, type ChunkHead, type ChunkTail, chunkLengthAt, type Place } from '../blob-store.ts';
import type { BufferedChunk } from '../buffered-chunk.ts';
import { receiveTail } from '../receive-chunk.ts';
import type { MultipartNote, PartNotes } from './part-notes.ts';
import { unavailable } from './s3-client.ts';
import type { S3Objects } from './s3-objects.ts';

type Deps = {
  notes: PartNotes;
  objects: S3Objects;
  acceptsDirectParts: () => boolean;
};

export class S3Multiparts {
  readonly #deps: Deps;
  readonly #beginning = new Map<string, Promise<void>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async begin(storageKey: string): Promise<void> {
    await this.#once(storageKey, () => this.#beginUnlessNoted(storageKey));
  }

  /** A life-cycle rule has deleted the multipart upload: its parts must be sent again. */
  async restart(storageKey: string, lost: MultipartNote | undefined): Promise<void> {
    await this.#once(storageKey, async () => {
      if (lost) await this.#deps.notes.deleteMultipart(storageKey, lost.multipartId);
      await this.#beginUnlessNoted(storageKey);
    });
  }

  /** Concurrent processes: the first one recorded wins. */
  async #beginUnlessNoted(storageKey: string): Promise<void> {
    const { notes, objects, acceptsDirectParts } = this.#deps;
    if (await notes.findMultipart(storageKey)) return;
    const carriesCrc32 = acceptsDirectParts();
    const multipartId = await objects.beginMultipart(storageKey, carriesCrc32);
    const standing = await notes.saveMultipart(storageKey, { multipartId, carriesCrc32 });
    if (standing.multipartId !== multipartId) await objects.abortMultipart(storageKey, multipartId);
  }

  async #once(storageKey: string, begin: () => Promise<void>): Promise<void> {
    const running =
      this.#beginning.get(storageKey) ?? begin().finally(() => this.#beginning.delete(storageKey));
    this.#beginning.set(storageKey, running);
    await running;
  }
}

const READ_BYTES = 256 * 1024;

const NOTHING: ChunkHead = { sizeBytes: 0, crc32: 0 };

type OpenRange = (storageKey: string, start: number, end: number) => Promise<BlobRange>;

/**
 * Stores heads of unfinished chunks as separate objects, because S3 accepts no part below 5 MiB and cannot
 * append. A head is only replaced by a longer one, so it always contains the bytes of an older note. The
 * sweep removes heads without a note.
 */
export class S3Heads {
  readonly #notes: PartNotes;
  readonly #objects: S3Objects;
  readonly #openRange: OpenRange;

  constructor(notes: PartNotes, objects: S3Objects, openRange: OpenRange) {
    this.#notes = notes;
    this.#objects = objects;
    this.#openRange = openRange;
  }

  async find({ storageKey }: Place, index: number): Promise<ChunkHead> {
    for (const key of [storageKey, headKey(storageKey)]) {
      const note = await this.#notes.findPart(key, index);
      if (note) return { sizeBytes: note.sizeBytes, crc32: note.crc32 };
    }
    return NOTHING;
  }

  /** Throws like `growChunk`. */
  async receive(held: BufferedChunk, place: Place, tail: ChunkTail): Promise<ChunkHead> {
    await this.#readInto(held, place, tail.head);
    let adding: Promise<void> | undefined;
    const grown = await receiveTail(tail, chunkLengthAt(place, tail.index), (bytes) => {
      adding = held.add(bytes);
      return adding;
    });
    // The client may have disconnected while its last bytes were being written.
    await adding;
    return grown;
  }

  async keep({ storageKey }: Place, index: number, { held, head }: KeptHead): Promise<void> {
    const key = headKey(storageKey);
    const etag = await this.#objects.put(key, { open: () => held.open(), sizeBytes: head.sizeBytes });
    await this.#notes.savePart(key, { index, ...head, etag });
  }

  /** Idempotent; costs no request if there is no head. */
  async delete(storageKey: string): Promise<void> {
    const key = headKey(storageKey);
    if ((await this.#notes.listParts(key)).length === 0) return;
    await this.#objects.remove(key);
    await this.#notes.clear(key);
  }

  /** Deletes the head and throws AppError `unavailable` if it doesn't match its note. */
  async #readInto(held: BufferedChunk, { storageKey }: Place, head: ChunkHead): Promise<void> {
    if (head.sizeBytes === 0) return;
    try {
      const crc = await this.#read(held, headKey(storageKey), head.sizeBytes);
      if (crc !== head.crc32) throw new Error('The head of a chunk has changed');
    } catch (cause) {
      await this.delete(storageKey);
      throw unavailable(cause);
    }
  }

  async #read(held: BufferedChunk, key: string, sizeBytes: number): Promise<number> {
    const range = await this.#openRange(key, 0, sizeBytes);
    let crc = 0;
    try {
      for (let done = 0; done < sizeBytes; ) {
        const view = Buffer.allocUnsafe(Math.min(READ_BYTES, sizeBytes - done));
        await range.fill([view]);
        crc = crc32(view, crc);
        await held.add(view);
        done += view.length;
      }
      return crc;
    } finally {
      await range.close();
    }
  }
}

type KeptHead = { held: BufferedChunk; head: ChunkHead };

function headKey(storageKey: string): string {
  return `${storageKey}-head`;
}
