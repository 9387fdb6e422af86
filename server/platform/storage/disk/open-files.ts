import { close, open } from 'node:fs';
import { promisify } from 'node:util';
import { SharedSync } from './disk-syncs.ts';
import { WriteQueue } from './write-queue.ts';

const openFile = promisify(open);
const closeFile = promisify(close);

/** Unused files kept open; used ones come on top. */
const MAX_IDLE = 128;
/** Long enough for the next chunk of a slow line, short enough to give a removed blob's room back soon. */
const IDLE_MS = 5_000;

/** A file open for reading and writing, with the state that all its users share. */
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
  /** Unlinked or evicted: closed by the last user. */
  isForgotten: boolean;
  hasRested: boolean;
};

/**
 * Keeps files open between uses, so that 5,000 small chunks into one pack do not open it 5,000 times.
 * A used file is never closed, also when its path is gone meanwhile.
 */
export class OpenFiles {
  readonly #syncFile: SyncFile;
  readonly #entries = new Map<string, Entry>();
  /** Unused entries, the longest unused first. */
  readonly #idle = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(syncFile: SyncFile) {
    this.#syncFile = syncFile;
  }

  /** Runs `task` with the file open. Throws what opening throws (ENOENT when the file is not there). */
  async use<T>(path: string, task: (file: OpenFile) => Promise<T>): Promise<T> {
    const { file, release } = await this.acquire(path);
    try {
      return await task(file);
    } finally {
      await release();
    }
  }

  /** Like `use` for readers that live longer than one call: `release` must be called exactly once. */
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

  /** The next `acquire` reopens the path. Resolves when the file is closed or left to its last user. */
  async forget(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    if (!entry) return;
    this.#entries.delete(path);
    this.#idle.delete(entry);
    entry.isForgotten = true;
    if (entry.users === 0) await closeEntry(entry);
  }

  /** Closes unused files; files in use are closed by their last user. */
  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const idle = [...this.#idle];
    for (const entry of this.#entries.values()) entry.isForgotten = true;
    this.#entries.clear();
    this.#idle.clear();
    await Promise.all(idle.map(closeEntry));
  }

  #add(path: string): Entry {
    const entry = { path, file: this.#open(path), users: 0, isForgotten: false, hasRested: false };
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
    if (entry.isForgotten) return closeEntry(entry);
    entry.hasRested = false;
    this.#idle.add(entry);
    this.#timer ??= setInterval(() => this.#closeRested(), IDLE_MS).unref();
    if (this.#idle.size > MAX_IDLE) await this.forget(this.#idle.values().next().value!.path);
  }

  /** Closes what was unused for a whole interval. */
  #closeRested(): void {
    for (const entry of this.#idle) {
      if (entry.hasRested) void this.forget(entry.path);
      else entry.hasRested = true;
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A close error (bytes that did not reach the disk) has already been reported by the preceding sync. */
async function closeEntry(entry: Entry): Promise<void> {
  const { fd } = await entry.file;
  await closeFile(fd).catch(() => undefined);
}

const SYNC_EVERY_BYTES = 64 * 1024 * 1024;

/**
 * Syncs large uploads while they arrive, one at a time. Otherwise the kernel may buffer gigabytes, and completing a
 * file
 * would have to wait for all of them.
 */
export class EarlySync {
  readonly #files: OpenFiles;
  readonly #unsyncedBytes = new WeakMap<OpenFile, number>();
  #isSyncing = false;

  constructor(files: OpenFiles) {
    this.#files = files;
  }

  /** Counts bytes written to the file and starts a sync in the background when they are many. */
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
