import { randomBytes } from 'node:crypto';
import { statfsSync, statSync, truncateSync, unlinkSync } from 'node:fs';
import { open, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/logging/log.ts';
import { isFull } from './disk-errors.ts';

export type Space = { freeBytes: number; totalBytes: number };

const RESERVE_BYTES = 256 * 1024 * 1024;
const RESERVE_SHARE = 0.02;
const MAX_AGE_MS = 250;

export function reserveOf(totalBytes: number): number {
  return Math.max(RESERVE_BYTES, totalBytes * RESERVE_SHARE);
}

/**
 * Free space, measured at most 250 ms ago, minus what this process has written since and what arriving chunks
 * may still write.
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
   * `bytes` is the most that `write` may write; concurrent claims add up. Throws AppError `storage_full` if
   * less than the reserve would be left.
   */
  async claim<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    const { freeBytes, totalBytes } = await this.read();
    if (freeBytes - bytes < reserveOf(totalBytes)) throw new AppError('storage_full');
    this.#claimedBytes += bytes;
    try {
      return await write();
    } catch (error) {
      if (isAppError(error, 'storage_full')) this.invalidate();
      throw error;
    } finally {
      this.#claimedBytes -= bytes;
      this.#writtenBytes += bytes;
    }
  }

  invalidate(): void {
    this.#reading = undefined;
  }

  async #read(): Promise<void> {
    const writtenBefore = this.#writtenBytes;
    const { bavail, blocks, bsize } = await statfs(this.#path);
    this.#writtenBytes -= writtenBefore;
    this.#reading = { freeBytes: bavail * bsize, totalBytes: blocks * bsize, at: performance.now() };
  }
}

const MIB = 1024 * 1024;
const LARGEST_BYTES = 64 * MIB;
const SMALLEST_BYTES = 4 * MIB;
const SHARE_OF_DISK = 1 / 64;
const PIECE_BYTES = 2 * MIB;
/** Grow back only when this many times the size is free, so that it doesn't oscillate. */
const SPARE_FACTOR = 3;
const FULL_BELOW_BYTES = 8 * MIB;
const RESTORE_EVERY_MS = 5_000;

type BallastState = 'pending' | 'held' | 'released';

/**
 * A file that only occupies space. On a full disk it is shortened, so that the database can commit deletions,
 * and grows back later. It shrinks piece by piece, because another program may use up the space at the same
 * time. Its bytes are random, because compressing file systems store zeros in no space.
 */
export class Ballast {
  readonly #path: string;
  readonly #folder: string;
  readonly #log: Log;
  #state: BallastState = 'pending';
  #missedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #restoring: Promise<void> = Promise.resolve();

  private constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#path = join(folder, 'ballast');
    this.#log = log;
  }

  /** Returns immediately; the file is created a few seconds later. Several processes may share it. */
  static open(folder: string, log: Log): Ballast {
    const ballast = new Ballast(folder, log);
    ballast.#timer = setInterval(() => void ballast.restore(), RESTORE_EVERY_MS).unref();
    return ballast;
  }

  get state(): BallastState {
    return this.#state;
  }

  /**
   * Returns true if the failed operation is worth a retry. Synchronous, because a SQLite statement waits for
   * it.
   */
  readonly release = (): boolean => {
    try {
      // A failing disk reports similar errors, but releasing space doesn't help.
      const { bavail, bsize } = statfsSync(this.#folder);
      if (bavail * bsize > FULL_BELOW_BYTES) return false;
      this.#state = 'released';
      const leftBytes = statSync(this.#path).size - PIECE_BYTES;
      if (leftBytes > 0) truncateSync(this.#path, leftBytes);
      else unlinkSync(this.#path);
      this.#log.warn({ leftBytes }, 'the disk is full: ballast was released so that deletions can be saved');
      return true;
    } catch {
      // Another process may have just released space: retry once, but not forever.
      const now = performance.now();
      const isFirst = now - this.#missedAt > RESTORE_EVERY_MS;
      if (isFirst) this.#missedAt = now;
      return isFirst;
    }
  };

  async restore(): Promise<void> {
    this.#restoring = this.#restoring.then(() => this.#restore());
    await this.#restoring;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#restoring;
  }

  async #restore(): Promise<void> {
    try {
      this.#state = (await this.#fill()) ? 'held' : 'released';
    } catch (error) {
      this.#state = 'released';
      await unlink(this.#path).catch(() => undefined);
      if (!isFull(error)) this.#log.warn({ err: error }, 'the ballast file could not be created');
    }
  }

  async #fill(): Promise<boolean> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    const sizeBytes = Math.max(SMALLEST_BYTES, Math.min(LARGEST_BYTES, blocks * bsize * SHARE_OF_DISK));
    const file = await open(this.#path, 'a', 0o600);
    try {
      const missingBytes = Math.ceil(sizeBytes - (await file.stat()).size);
      if (missingBytes <= 0) return true;
      if (bavail * bsize < SPARE_FACTOR * sizeBytes) return false;
      const piece = randomBytes(MIB);
      for (let left = missingBytes; left > 0; left -= piece.length)
        await file.appendFile(piece.subarray(0, Math.min(left, piece.length)));
      return true;
    } finally {
      await file.close();
    }
  }
}

export async function retryOnFullDisk<T>(
  onDiskFull: (() => boolean) | undefined,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!isFull(error) || !onDiskFull?.()) throw error;
    return task();
  }
}
