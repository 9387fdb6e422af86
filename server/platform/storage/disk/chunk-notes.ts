import { createHash, randomBytes } from 'node:crypto';
import { readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { OpenFile } from './open-files.ts';
import { readFully } from './positional-io.ts';

/** CRC-32 (4 bytes), length (4), boot tag (8). 16 divides the page size, so notes are never torn. */
const SLOT_BYTES = 16;
const TAG_OFFSET = 8;
const TAG_BYTES = 8;
const EMPTY_TAG = Buffer.alloc(TAG_BYTES);

/** `isTrusted` is false if the host has restarted since the note was written. */
export type SlotNote = { crc32: number; sizeBytes: number; isTrusted: boolean };

/**
 * The chunk notes beside a blob: slot `n` is at byte `16 n`. A note is written after the chunk's bytes, but
 * after a power cut it may exist without them. So each note carries a tag of the host's boot.
 */
export class ChunkNotes {
  readonly #bootTag: Buffer;

  constructor(bootTag: Buffer) {
    if (bootTag.length !== TAG_BYTES || bootTag.equals(EMPTY_TAG)) throw new TypeError('Not a boot tag');
    this.#bootTag = bootTag;
  }

  async read(file: OpenFile, firstSlot: number, count: number): Promise<(SlotNote | undefined)[]> {
    const bytes = Buffer.alloc(count * SLOT_BYTES);
    await readFully(file.fd, [bytes], firstSlot * SLOT_BYTES);
    return Array.from({ length: count }, (_, index) => this.#decode(bytes, index * SLOT_BYTES));
  }

  /** Synchronous: 16 cached bytes take 2 µs, a trip through the thread pool 50. */
  readOne(file: OpenFile, slot: number): SlotNote | undefined {
    const bytes = Buffer.alloc(SLOT_BYTES);
    readSync(file.fd, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES);
    return this.#decode(bytes, 0);
  }

  async write(file: OpenFile, slot: number, crc32: number, sizeBytes: number): Promise<void> {
    const bytes = Buffer.allocUnsafe(SLOT_BYTES);
    bytes.writeUInt32LE(crc32, 0);
    bytes.writeUInt32LE(sizeBytes, 4);
    this.#bootTag.copy(bytes, TAG_OFFSET);
    await file.writes.write([bytes], slot * SLOT_BYTES);
  }

  async clear(file: OpenFile, firstSlot: number, count: number): Promise<void> {
    if (count > 0) await file.writes.write([Buffer.alloc(count * SLOT_BYTES)], firstSlot * SLOT_BYTES);
  }

  #decode(bytes: Buffer, at: number): SlotNote | undefined {
    const tag = bytes.subarray(at + TAG_OFFSET, at + SLOT_BYTES);
    if (tag.equals(EMPTY_TAG)) return undefined;
    return {
      crc32: bytes.readUInt32LE(at),
      sizeBytes: bytes.readUInt32LE(at + 4),
      isTrusted: tag.equals(this.#bootTag),
    };
  }
}

/** Without a kernel boot id, each process trusts only its own notes. */
export async function readBootTag(): Promise<Buffer> {
  const bootId = await readFile('/proc/sys/kernel/random/boot_id').catch(() => randomBytes(16));
  return createHash('sha256').update(bootId).digest().subarray(0, TAG_BYTES);
}
