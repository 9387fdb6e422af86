import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FileSums } from './protocol.ts';

/** Checksums of one file, chunk by chunk. */
export class RunningSums {
  readonly #sha256 = createHash('sha256');
  #crc32 = 0;
  /** Index of the first chunk that is not included. */
  next = 0;

  update(bytes: Buffer): void {
    this.#sha256.update(bytes);
    this.#crc32 = crc32(bytes, this.#crc32);
  }

  read(): FileSums {
    return { crc32: this.#crc32, sha256: this.#sha256.copy().digest('hex') };
  }
}
