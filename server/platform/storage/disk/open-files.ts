import { close, open } from 'node:fs';
import { promisify } from 'node:util';
import { SharedSync } from './disk-syncs.ts';
import { WriteQueue } from './write-queue.ts';

const openFile = promisify(open);
const closeFile = promisify(close);

const MAX_IDLE = 128;
/** Long enough for the next chunk on a slow connection, short enough to free removed blobs soon. */
const IDLE_MS = 5_000;

export type OpenFile = {
  readonly path: string;
  readonly fd: number;
  readonly writes: WriteQueue;
  readonly sync: SharedSync;
};

type SyncFile = (file: { path: string; fd: number }) => Promise<void>;

type Entry = {
  path: string;
  file: Promise<OpenFile>;
  users: number;
  /** Its last user closes it. */
  isEvicted: boolean;
  isStale: boolean;
};

/**
 * Keeps files open between uses, so that 5,000 small chunks don't open a pack 5,000 times. A file in use is
 * never closed, even if its path was removed.
 */
export class OpenFiles {
  readonly #syncFile: SyncFile;
  readonly #entries = new Map<string, Entry>();
  readonly #idle = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(syncFile: SyncFile) {
    this.#syncFile = syncFile;
  }

  async use<T>(path: string, task: (file: OpenFile) => Promise<T>): Promise<T> {
    const { file, release } = await this.acquire(path);
    try {
      return await task(file);
    } finally {
      await release();
    }
  }

  /** For readers that outlive one call. Call `release` exactly once. */
  async acquire(path: string): Promise<{ file: OpenFile; release: () => Promise<void> }> {
    const entry = this.#entries.get(path) ?? this.#add(path);
    entry.users += 1;
    this.#idle.delete(entry);
    try {
      const file = await entry.file;
      return { file, release: () => this.#release(entry) };
    } catch (error) {
      if (this.#entries.get(path) === entry) this.#entries.delete(path);
      throw error;
    }
  }

  /** Resolves when the file is closed or left to its last user. */
  async evict(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    if (!entry) return;
    this.#entries.delete(path);
    this.#idle.delete(entry);
    entry.isEvicted = true;
    if (entry.users === 0) await closeEntry(entry);
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const idle = [...this.#idle];
    for (const entry of this.#entries.values()) entry.isEvicted = true;
    this.#entries.clear();
    this.#idle.clear();
    await Promise.all(idle.map(closeEntry));
  }

  #add(path: string): Entry {
    const entry = { path, file: this.#open(path), users: 0, isEvicted: false, isStale: false };
    this.#entries.set(path, entry);
    return entry;
  }

  async #open(path: string): Promise<OpenFile> {
    const fd = await openFile(path, 'r+');
    const sync = new SharedSync(() => this.#syncFile({ path, fd }));
    return { path, fd, writes: new WriteQueue(fd), sync };
  }

  async #release(entry: Entry): Promise<void> {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.isEvicted) return closeEntry(entry);
    entry.isStale = false;
    this.#idle.add(entry);
    this.#timer ??= setInterval(() => this.#closeStale(), IDLE_MS).unref();
    if (this.#idle.size > MAX_IDLE) await this.evict(this.#idle.values().next().value!.path);
  }

  #closeStale(): void {
    for (const entry of this.#idle) {
      if (entry.isStale) void this.evict(entry.path);
      else entry.isStale = true;
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The preceding sync has already reported lost bytes. */
async function closeEntry(entry: Entry): Promise<void> {
  const { fd } = await entry.file;
  await closeFile(fd).catch(() => undefined);
}

const SYNC_EVERY_BYTES = 64 * 1024 * 1024;

/**
 * Syncs large uploads while they arrive, one at a time. Otherwise the kernel buffers gigabytes that
 * completing the file has to wait for.
 */
export class EarlySync {
  readonly #files: OpenFiles;
  readonly #unsyncedBytes = new WeakMap<OpenFile, number>();
  #isSyncing = false;

  constructor(files: OpenFiles) {
    this.#files = files;
  }

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
      // A failed sync has cleared the blob's notes, so `seal` reports the chunks as missing.
    } finally {
      this.#isSyncing = false;
    }
  }
}
