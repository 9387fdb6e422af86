import { statfs } from 'node:fs/promises';
import { AppError, isAppError } from '../lib/app-error.ts';

export type Space = { freeBytes: number; totalBytes: number };

const RESERVE_BYTES = 256 * 1024 * 1024;
const RESERVE_SHARE = 0.02;
const MAX_AGE_MS = 250;

/** Bytes of a disk that stay free of uploads, so that everything else works. */
export function reserveOf(totalBytes: number): number {
  return Math.max(RESERVE_BYTES, totalBytes * RESERVE_SHARE);
}

/**
 * The free space of a disk, without a system call for each question: a figure at most 250 ms old, minus what this
 * process has written since and what it may still write of chunks that are arriving.
 */
export class DiskSpace {
  readonly #path: string;
  #reading: (Space & { at: number }) | undefined;
  #refresh: Promise<void> | undefined;
  #writtenBytes = 0;
  #claimedBytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<Space> {
    if (!this.#reading || performance.now() - this.#reading.at > MAX_AGE_MS) {
      this.#refresh ??= this.#read().finally(() => {
        this.#refresh = undefined;
      });
      await this.#refresh;
    }
    const { freeBytes, totalBytes } = this.#reading!;
    return { freeBytes: freeBytes - this.#writtenBytes - this.#claimedBytes, totalBytes };
  }

  /**
   * Runs `write`, which writes up to so many bytes. Of calls at the same time, each sees what the others have
   * claimed. Throws AppError `storage_full` when the disk would be left with less than its reserve.
   */
  async claim<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    const { freeBytes, totalBytes } = await this.read();
    if (freeBytes - bytes < reserveOf(totalBytes)) throw new AppError('storage_full');
    this.#claimedBytes += bytes;
    try {
      return await write();
    } catch (error) {
      if (isAppError(error, 'storage_full')) this.forget();
      throw error;
    } finally {
      this.#claimedBytes -= bytes;
      this.#writtenBytes += bytes;
    }
  }

  /** Has the disk asked anew at the next question. */
  forget(): void {
    this.#reading = undefined;
  }

  async #read(): Promise<void> {
    const writtenBefore = this.#writtenBytes;
    const { bavail, blocks, bsize } = await statfs(this.#path);
    this.#writtenBytes -= writtenBefore;
    this.#reading = { freeBytes: bavail * bsize, totalBytes: blocks * bsize, at: performance.now() };
  }
}
