import { performance } from 'node:perf_hooks';
import { crc32 } from 'node:zlib';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { KIB, MIB } from '../../../contracts/values/sizes.ts';
import { BlobEndsEarly, type BlobStore } from '../storage/blob-store.ts';
import { AppError, isAppError } from './app-error.ts';

/** Bytes of a known length, of which any range can be read: a file or a zip. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Opens `[start, end)` for one sequential read. Throws AppError `file_not_found` if the bytes are gone. */
  open(start: number, end: number): Promise<ByteReader>;
}

export interface ByteReader {
  /**
   * Fills the whole buffer with the next bytes. The caller must not read beyond the range, and only one buffer at a
   * time. Rejects if the stored bytes are too short.
   */
  fill(buffer: Buffer): Promise<void>;
  /** Releases the resources. Call it once, when no `fill` is running. */
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
 * Limits the CPU a process spends on verifying sent bytes: 100 MiB/s takes about 3 % of a core. That covers every
 * download of a server with up to 1 Gbit/s. Beyond it, some go unverified and the scrub has to find damage.
 */
const VERIFIED_BYTES_PER_SECOND = 100 * MIB;
const BURST_BYTES = 4 * MIB;
/** Shorter sources are always verified. */
const ALWAYS_BYTES = 256 * KIB;

class VerificationBudget {
  #leftBytes = BURST_BYTES;
  #filledAt = performance.now();

  /**
   * Claims the comparison of `bytes` more of a file of `sizeBytes`; false if the budget is used up. Short files are
   * always granted, so that their damage is found however much else is being sent.
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
  /** Called once before a read fails because bytes are missing or wrong. Must not throw. */
  onWrongBytes: () => Promise<void>;
};

/**
 * Compares the bytes with their CRC-32 while they are read, as far as the process's budget allows. Only complete reads
 * are compared. A wrong one fails before its last block is returned, so that no client gets all of it, with AppError
 * `unavailable`, because a second read may succeed.
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
  /** undefined once the budget did not allow a comparison. */
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

/** Rethrows the error, after reporting it if it means that bytes are missing. */
async function refuseMissing(error: unknown, { onWrongBytes }: Expectation): Promise<never> {
  if (isAppError(error, 'file_not_found') || error instanceof BlobEndsEarly) await onWrongBytes();
  throw error;
}
