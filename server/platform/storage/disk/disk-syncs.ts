import { constants, fdatasync } from 'node:fs';
import { mkdir, open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { ConcurrencyLimit } from '../../lib/concurrency/concurrency-limit.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { NOTES_SUFFIX } from './blob-files.ts';

/**
 * One sync for all waiting callers. A caller that arrives during a sync joins the next one, because the
 * running one may already have passed its bytes.
 */
export class SharedSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves after a sync that began after this call. A failed sync rejects for all who joined it. */
  join(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#start();
    this.#next = this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

const syncData = promisify(fdatasync);

export async function timed<T>(task: () => Promise<T>, report: (seconds: number) => void): Promise<T> {
  const startedAt = performance.now();
  try {
    return await task();
  } finally {
    report((performance.now() - startedAt) / 1000);
  }
}

/**
 * After a failed sync the kernel marks the lost pages as clean, so the next sync would succeed without them.
 * So this deletes the blob's notes, and its chunks must be sent again.
 */
export async function syncBlob({ path, fd }: { path: string; fd: number }): Promise<void> {
  try {
    await syncData(fd);
  } catch (error) {
    await truncate(path + NOTES_SUFFIX);
    throw error;
  }
}

export class DiskFolders {
  readonly #syncs: ConcurrencyLimit;
  readonly #metrics: Pick<Metrics, 'countDiskSync'> | undefined;
  readonly #byPath = new Map<string, SharedSync>();
  readonly #made = new Map<string, Promise<void>>();

  constructor(syncs: ConcurrencyLimit, metrics?: Pick<Metrics, 'countDiskSync'>) {
    this.#syncs = syncs;
    this.#metrics = metrics;
  }

  async make(folder: string): Promise<void> {
    const making = this.#made.get(folder) ?? this.#makeDurably(folder);
    this.#made.set(folder, making);
    try {
      await making;
    } catch (error) {
      this.#made.delete(folder);
      throw error;
    }
  }

  async sync(folder: string): Promise<void> {
    let shared = this.#byPath.get(folder);
    if (!shared) {
      shared = new SharedSync(() =>
        this.#syncs.run(() =>
          timed(
            () => syncFolder(folder),
            (seconds) => this.#metrics?.countDiskSync('folder', seconds),
          ),
        ),
      );
      this.#byPath.set(folder, shared);
    }
    await shared.join();
  }

  async #makeDurably(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.sync(dirname(folder));
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
