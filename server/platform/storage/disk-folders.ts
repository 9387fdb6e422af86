import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConcurrencyLimit } from '../lib/concurrency-limit.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { timed } from './blob-sync.ts';
import { SharedSync } from './shared-sync.ts';

/** Folders that new blobs go into, and the syncs that keep the blobs' names through a power cut. */
export class DiskFolders {
  readonly #syncs: ConcurrencyLimit;
  readonly #metrics: Pick<Metrics, 'countDiskSync'> | undefined;
  readonly #byPath = new Map<string, SharedSync>();
  readonly #made = new Map<string, Promise<void>>();

  constructor(syncs: ConcurrencyLimit, metrics?: Pick<Metrics, 'countDiskSync'>) {
    this.#syncs = syncs;
    this.#metrics = metrics;
  }

  /** Makes the folder if need be; its own name is synced once per process. */
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

  /** Makes the names in the folder durable; callers that wait share one sync. */
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
