import { performance } from 'node:perf_hooks';
import { crc32 } from 'node:zlib';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import { BlobEndsEarly, type BlobStore } from '../storage/blob-store.ts';
import { AppError, isAppError } from './app-error.ts';

/** Bytes of a known length with random access: a file or a zip. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** `end` is exclusive. Throws AppError `file_not_found`. */
  open(start: number, end: number): Promise<ByteReader>;
}

export interface ByteReader {
  /**
   * Fills the whole buffer. One call at a time, never beyond the range. Rejects if the stored bytes are too
   * short.
   */
  fill(buffer: Buffer): Promise<void>;
  /**
   * Only of sources whose bytes may still be arriving: resolves with how many bytes `fill` gets without waiting, at least
   * one. Rejects with the signal's reason.
   */
  available?(signal: AbortSignal): Promise<number>;
  /** Call once, when no `fill` is running. */
  close(): Promise<void>;
}

export type BlobOpener = Pick<BlobStore, 'openRange'>;

export type BlobSlice = { storageKey: string; offset: number; sizeBytes: number };

export function bufferSource(bytes: Buffer): ByteSource {
  return {
    sizeBytes: bytes.length,
    async open(start) {
      let next = start;
      return {
        fill: async (buffer) => {
          next += bytes.copy(buffer, 0, next);
        },
        close: async () => undefined,
      };
    },
  };
}

export function blobSource(blobs: BlobOpener, { storageKey, offset, sizeBytes }: BlobSlice): ByteSource {
  return {
    sizeBytes,
    async open(start, end) {
      const range = await blobs.openRange(storageKey, offset + start, offset + end);
      return { fill: (buffer) => range.fill([buffer]), close: () => range.close() };
    },
  };
}

/**
 * Limits the CPU for verifying sent bytes: 100 MiB/s takes about 3 % of a core and covers 1 Gbit/s. Beyond
 * it, the scrub has to find damage.
 */
const VERIFIED_BYTES_PER_SECOND = 100 * MIB;
const BURST_BYTES = 4 * MIB;
const ALWAYS_BYTES = 256 * KIB;

class VerificationBudget {
  #leftBytes = BURST_BYTES;
  #filledAt = performance.now();

  /**
   * False if the budget is used up. Short files are always granted, so that their damage is found on a busy
   * server too.
   */
  claim(bytes: number, sizeBytes: number): boolean {
    const now = performance.now();
    const gained = ((now - this.#filledAt) / SECOND_MS) * VERIFIED_BYTES_PER_SECOND;
    this.#leftBytes = Math.min(BURST_BYTES, this.#leftBytes + gained);
    this.#filledAt = now;
    if (this.#leftBytes <= 0) return sizeBytes <= ALWAYS_BYTES;
    this.#leftBytes -= bytes;
    return true;
  }
}

export const verificationBudget = new VerificationBudget();

type Expectation = {
  crc32: number;
  /** Called once before such a read fails. Must not throw. */
  onWrongBytes: () => Promise<void>;
};

/**
 * Verifies complete reads against their CRC-32, within the process's budget. A wrong one fails before its
 * last block is returned, so that no client gets all of it, with AppError `unavailable`, because a second
 * read may succeed.
 */
export function verifiedSource(source: ByteSource, expected: Expectation): ByteSource {
  const { sizeBytes } = source;
  return {
    sizeBytes,
    async open(start, end) {
      const reader = await source.open(start, end).catch((error) => refuseMissing(error, expected));
      return start === 0 && end === sizeBytes ? new VerifiedReader(reader, sizeBytes, expected) : reader;
    },
  };
}

export function wrongBytes(): AppError {
  return new AppError('unavailable', { cause: new Error('The stored bytes are not those that were sent') });
}

class VerifiedReader implements ByteReader {
  readonly #reader: ByteReader;
  readonly #expected: Expectation;
  readonly #sizeBytes: number;
  #leftBytes: number;
  /** Undefined once the budget is exceeded. */
  #crc32: number | undefined = 0;

  constructor(reader: ByteReader, sizeBytes: number, expected: Expectation) {
    this.#reader = reader;
    this.#sizeBytes = sizeBytes;
    this.#leftBytes = sizeBytes;
    this.#expected = expected;
  }

  async fill(buffer: Buffer): Promise<void> {
    await this.#reader.fill(buffer).catch((error) => refuseMissing(error, this.#expected));
    this.#leftBytes -= buffer.length;
    if (this.#crc32 === undefined) return;
    if (!verificationBudget.claim(buffer.length, this.#sizeBytes)) {
      this.#crc32 = undefined;
      return;
    }
    this.#crc32 = crc32(buffer, this.#crc32);
    if (this.#leftBytes > 0 || this.#crc32 === this.#expected.crc32) return;
    await this.#expected.onWrongBytes();
    throw wrongBytes();
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

async function refuseMissing(error: unknown, { onWrongBytes }: Expectation): Promise<never> {
  if (isAppError(error, 'file_not_found') || error instanceof BlobEndsEarly) await onWrongBytes();
  throw error;
}
