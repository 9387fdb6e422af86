import type { OpenFile, OpenFiles } from './open-files.ts';

const SYNC_EVERY_BYTES = 64 * 1024 * 1024;

/**
 * Syncs large uploads while they arrive, one at a time. Left alone, the kernel may keep gigabytes back, and
 * completing a file would take as long as writing all of them; so it takes as long as the last few.
 */
export class EarlySync {
  readonly #files: OpenFiles;
  readonly #unsyncedBytes = new WeakMap<OpenFile, number>();
  #isSyncing = false;

  constructor(files: OpenFiles) {
    this.#files = files;
  }

  /** Counts bytes written to the file and starts a sync when they are many. Nobody waits for it. */
  count(file: OpenFile, sizeBytes: number): void {
    const unsynced = (this.#unsyncedBytes.get(file) ?? 0) + sizeBytes;
    const isDue = unsynced >= SYNC_EVERY_BYTES && !this.#isSyncing;
    this.#unsyncedBytes.set(file, isDue ? 0 : unsynced);
    if (isDue) void this.#sync(file.path);
  }

  async #sync(path: string): Promise<void> {
    this.#isSyncing = true;
    try {
      await this.#files.use(path, (file) => file.sync.join());
    } catch {
      // A failed sync has cleared the blob's notes: `seal` says that the chunks are missing.
    } finally {
      this.#isSyncing = false;
    }
  }
}
