/** Bytes without a pattern, the same at every run, from nowhere: the keystream of AES-CTR. */
import { createCipheriv, createHash, type Hash } from 'node:crypto';

export class RandomStream {
  /** Over all bytes taken so far. */
  readonly hash: Hash = createHash('sha256');
  readonly #cipher;
  readonly #zeros: Buffer;

  constructor(seed: string, longestBytes: number) {
    const key = createHash('sha256').update(seed).digest();
    this.#cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
    this.#zeros = Buffer.alloc(longestBytes);
  }

  /** The next so many bytes, at most `longestBytes`, in memory of their own. */
  take(sizeBytes: number): Buffer {
    const bytes = this.#cipher.update(this.#zeros.subarray(0, sizeBytes));
    this.hash.update(bytes);
    return bytes;
  }
}
