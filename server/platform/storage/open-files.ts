import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { SharedSync } from './shared-sync.ts';
import { WriteQueue } from './write-queue.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);

/** Unused files kept open; used ones come on top. */
const MAX_IDLE = 128;
/** Long enough for the next chunk of a slow line, short enough to give a removed blob's room back soon. */
const IDLE_MS = 10_000;

/** A file open for reading and writing, with what must be shared by all who use it. */
export type OpenFile = { readonly fd: number; readonly writes: WriteQueue; readonly sync: SharedSync };

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
  readonly #syncs: ConcurrencyLimit;
  readonly #entries = new Map<string, Entry>();
  /** Unused entries, the longest unused first. */
  readonly #idle = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  /** `syncs` bounds how many syncs run at once over all files, since each parks a thread of the pool. */
  constructor(syncs: ConcurrencyLimit) {
    this.#syncs = syncs;
  }

  /** Runs `task` with the file open. Throws what opening throws (ENOENT when the file is not there). */
  async use<T>(path: string, task: (file: OpenFile) => Promise<T>): Promise<T> {
    const { file, release } = await this.hold(path);
    try {
      return await task(file);
    } finally {
      release();
    }
  }

  /** Like `use` for readers that live longer than one call: `release` must be called exactly once. */
  async hold(path: string): Promise<{ file: OpenFile; release: () => void }> {
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

  /** The next `hold` opens the path anew. */
  forget(path: string): void {
    const entry = this.#entries.get(path);
    if (!entry) return;
    this.#entries.delete(path);
    this.#idle.delete(entry);
    entry.isForgotten = true;
    if (entry.users === 0) void closeEntry(entry);
  }

  /** Closes what is unused; what is in use closes with its last user. */
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
    const sync = new SharedSync(() => this.#syncs.run(() => syncFile(fd)));
    return { fd, writes: new WriteQueue(fd), sync };
  }

  #release(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.isForgotten) {
      void closeEntry(entry);
      return;
    }
    entry.hasRested = false;
    this.#idle.add(entry);
    if (this.#idle.size > MAX_IDLE) this.forget(this.#idle.values().next().value!.path);
    this.#timer ??= setInterval(() => this.#closeRested(), IDLE_MS).unref();
  }

  /** Closes what was unused for a whole interval. */
  #closeRested(): void {
    for (const entry of this.#idle) {
      if (entry.hasRested) this.forget(entry.path);
      else entry.hasRested = true;
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

async function closeEntry(entry: Entry): Promise<void> {
  await closeFile((await entry.file).fd);
}
