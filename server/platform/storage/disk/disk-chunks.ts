import { crc32 } from 'node:zlib';
import { AppError } from '../../lib/app-error.ts';
import { ConcurrencyLimit } from '../../lib/concurrency/concurrency-limit.ts';
import {
  type ChunkBody,
  type ChunkHead,
  type ChunkNote,
  type ChunkTail,
  chunkLengthAt,
  type Place,
} from '../blob-store.ts';
import { receiveChunk, receiveTail, requireLease } from '../receive-chunk.ts';
import type { ChunkNotes, SlotNote } from './chunk-notes.ts';
import type { EarlySync, OpenFile } from './open-files.ts';
import { MAX_BUFFERS_PER_CALL, readFully } from './positional-io.ts';
import { WRITE_BYTES, type WriteQueue } from './write-queue.ts';

const MAX_RESENDS_AT_ONCE = 4;
const RECHECK_BYTES = 1024 * 1024;

export type DiskBlob = { bytes: OpenFile; notes: OpenFile };

/**
 * A note with fewer bytes than the chunk describes its head. After a restart of the host, notes are compared
 * with the bytes before they are trusted.
 */
export class DiskChunks {
  readonly #notes: ChunkNotes;
  readonly #earlySync: EarlySync;
  readonly #resends = new ConcurrencyLimit(MAX_RESENDS_AT_ONCE);
  /** By blob and slot. A chunk is not written while its old bytes are being compared. */
  readonly #rechecks = new Map<string, Promise<SlotNote | undefined>>();

  constructor(notes: ChunkNotes, earlySync: EarlySync) {
    this.#notes = notes;
    this.#earlySync = earlySync;
  }

  async receive(blob: DiskBlob, place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    const sizeBytes = chunkLengthAt(place, chunk.index);
    const slot = place.firstSlot + chunk.index;
    const found = this.#notes.readOne(blob.notes, slot);
    const earlier = found && (await this.#verify(blob, place, chunk.index, found));
    if (earlier?.sizeBytes !== sizeBytes) {
      if (earlier) await this.#notes.clear(blob.notes, slot, 1);
      return this.#writeThrough(blob, place, chunk);
    }
    return this.#resends.run(() => this.#replace(blob, place, chunk, earlier));
  }

  async findHead(blob: DiskBlob, place: Place, index: number): Promise<ChunkHead> {
    const found = this.#notes.readOne(blob.notes, place.firstSlot + index);
    const note = found && (await this.#verify(blob, place, index, found));
    return { sizeBytes: note?.sizeBytes ?? 0, crc32: note?.crc32 ?? 0 };
  }

  async grow(blob: DiskBlob, place: Place, tail: ChunkTail): Promise<ChunkHead> {
    const { index, head } = tail;
    const position = chunkPosition(place, index) + head.sizeBytes;
    const writer = new RunWriter(blob.bytes.writes, position, { isOurs: tail.isOurs });
    try {
      const grown = await receiveTail(tail, chunkLengthAt(place, index), (bytes) => writer.add(bytes));
      await writer.finish();
      if (grown.sizeBytes === head.sizeBytes) return head;
      requireLease(tail);
      await this.#notes.write(blob.notes, place.firstSlot + index, grown.crc32, grown.sizeBytes);
      this.#earlySync.count(blob.bytes, grown.sizeBytes - head.sizeBytes);
      return grown;
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  /** In index order, undefined where there is no note. One read for all places. */
  async list(blob: DiskBlob, places: Place[]): Promise<(ChunkNote | undefined)[][]> {
    const firstSlot = Math.min(...places.map((place) => place.firstSlot));
    const end = Math.max(...places.map((place) => place.firstSlot + place.chunkCount));
    const slots = await this.#notes.read(blob.notes, firstSlot, end - firstSlot);
    const lists: (ChunkNote | undefined)[][] = [];
    for (const place of places) {
      const notes: (ChunkNote | undefined)[] = [];
      for (let index = 0; index < place.chunkCount; index += 1) {
        const found = slots[place.firstSlot - firstSlot + index];
        const note = found && (await this.#verify(blob, place, index, found));
        const isWhole = note?.sizeBytes === chunkLengthAt(place, index);
        notes.push(isWhole ? { index, crc32: note.crc32 } : undefined);
      }
      lists.push(notes);
    }
    return lists;
  }

  async clear(notes: OpenFile, place: Place): Promise<void> {
    await this.#notes.clear(notes, place.firstSlot, place.chunkCount);
  }

  /** Written in place: nobody reads these bytes until the chunk is recorded. */
  async #writeThrough(blob: DiskBlob, place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    const sizeBytes = chunkLengthAt(place, chunk.index);
    const writer = new RunWriter(blob.bytes.writes, chunkPosition(place, chunk.index), chunk);
    try {
      const crc = await receiveChunk(chunk, sizeBytes, (bytes) => writer.add(bytes));
      await writer.finish();
      requireLease(chunk);
      await this.#notes.write(blob.notes, place.firstSlot + chunk.index, crc, sizeBytes);
      this.#earlySync.count(blob.bytes, sizeBytes);
      return { index: chunk.index, crc32: crc };
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  async #replace(blob: DiskBlob, place: Place, chunk: ChunkBody, earlier: SlotNote): Promise<ChunkNote> {
    const bytes = Buffer.allocUnsafe(earlier.sizeBytes);
    let received = 0;
    const crc = await receiveChunk(chunk, earlier.sizeBytes, (piece) => {
      received += piece.copy(bytes, received);
      return undefined;
    });
    if (crc !== earlier.crc32) {
      requireLease(chunk);
      const slot = place.firstSlot + chunk.index;
      // Keep this order: a reader that has seen the note knows that the transfer is arriving, and so does `mayReplace`.
      await this.#notes.clear(blob.notes, slot, 1);
      if (chunk.mayReplace && !(await chunk.mayReplace())) {
        await this.#notes.write(blob.notes, slot, earlier.crc32, earlier.sizeBytes);
        throw new AppError('chunk_differs', { details: { index: chunk.index } });
      }
      const guard = () => requireLease(chunk);
      await blob.bytes.writes.write([bytes], chunkPosition(place, chunk.index), guard);
      requireLease(chunk);
      await this.#notes.write(blob.notes, slot, crc, bytes.length);
    }
    return { index: chunk.index, crc32: crc };
  }

  async #verify(blob: DiskBlob, place: Place, index: number, found: SlotNote): Promise<SlotNote | undefined> {
    if (found.isTrusted) return found;
    const id = `${place.storageKey} ${place.firstSlot + index}`;
    const running = this.#rechecks.get(id);
    if (running) return running;
    const recheck = this.#recheck(blob, place, index, found).finally(() => this.#rechecks.delete(id));
    this.#rechecks.set(id, recheck);
    return recheck;
  }

  async #recheck(
    blob: DiskBlob,
    place: Place,
    index: number,
    found: SlotNote,
  ): Promise<SlotNote | undefined> {
    const slot = place.firstSlot + index;
    const sizeBytes = Math.min(found.sizeBytes, chunkLengthAt(place, index));
    const crc = await readCrc32(blob.bytes.fd, chunkPosition(place, index), sizeBytes);
    // Another process may have received the chunk again meanwhile.
    const current = this.#notes.readOne(blob.notes, slot);
    if (!current || current.isTrusted) return current;
    if (crc !== found.crc32 || sizeBytes !== found.sizeBytes) {
      await this.#notes.clear(blob.notes, slot, 1);
      return undefined;
    }
    await this.#notes.write(blob.notes, slot, crc, sizeBytes);
    return { ...found, isTrusted: true };
  }
}

function chunkPosition(place: Place, index: number): number {
  return place.offset + index * place.chunkSize;
}

async function readCrc32(fd: number, position: number, sizeBytes: number): Promise<number | undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(RECHECK_BYTES, sizeBytes));
  let crc = 0;
  for (let done = 0; done < sizeBytes; done += buffer.length) {
    const view = buffer.subarray(0, Math.min(buffer.length, sizeBytes - done));
    if ((await readFully(fd, [view], position + done)) < view.length) return undefined;
    crc = crc32(view, crc);
  }
  return crc;
}

/** Of one chunk. */
const MAX_WRITES_IN_FLIGHT = 8;

/**
 * Collects buffers, without copying, into runs that end at multiples of `WRITE_BYTES`, so that no page is written by
 * two calls. A run also ends at the maximum number of buffers per call, so that a client that sends byte by byte can't
 * fill the memory.
 */
class RunWriter {
  readonly #queue: WriteQueue;
  readonly #freesPieces: boolean;
  readonly #guard: (() => void) | undefined;
  readonly #inFlight: Promise<void>[] = [];
  #position: number;
  #pieces: Buffer[] = [];
  #runBytes = 0;

  constructor(
    queue: WriteQueue,
    position: number,
    { freesPieces = false, isOurs }: Pick<ChunkBody, 'freesPieces' | 'isOurs'>,
  ) {
    this.#queue = queue;
    this.#freesPieces = freesPieces;
    this.#guard = isOurs && (() => requireLease({ isOurs }));
    this.#position = position;
  }

  add(bytes: Buffer): Promise<void> | undefined {
    let rest = bytes;
    while (rest.length > 0) {
      const room = WRITE_BYTES - ((this.#position + this.#runBytes) % WRITE_BYTES);
      const piece = rest.length > room ? rest.subarray(0, room) : rest;
      this.#pieces.push(piece);
      this.#runBytes += piece.length;
      rest = rest.subarray(piece.length);
      if (piece.length === room || this.#pieces.length === MAX_BUFFERS_PER_CALL) this.#queueRun();
    }
    return this.#inFlight.length >= MAX_WRITES_IN_FLIGHT ? this.#inFlight[0] : undefined;
  }

  async finish(): Promise<void> {
    if (this.#runBytes > 0) this.#queueRun();
    await Promise.all(this.#inFlight);
  }

  /** Nothing is written after it resolves. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  #queueRun(): void {
    const pieces = this.#pieces;
    const write = this.#queue.write(pieces, this.#position, this.#guard);
    this.#inFlight.push(write);
    // Keep failed writes so that `finish` throws their error.
    write.then(
      () => {
        this.#inFlight.splice(this.#inFlight.indexOf(write), 1);
        if (this.#freesPieces) for (const piece of pieces) freeMemory(piece);
      },
      () => undefined,
    );
    this.#position += this.#runBytes;
    this.#pieces = [];
    this.#runBytes = 0;
  }
}

/**
 * Without it, tens of MiB wait for the garbage collector. Does nothing if other bytes share the memory, like those of a
 * pipelined request.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
