import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';

/** Commands and short tests end before the thread would start. */
const THREAD_STARTS_AFTER_MS = 3 * SECOND_MS;

/** SQLite's default: the thread that commits copies the log into the database whenever it has this many pages. */
const PAGES_WITHOUT_THREAD = 1_000;

/**
 * While writes never pause, only the connection that writes can restart the log, so it still takes part at 64 MiB.
 * By then the thread has copied all but the latest pages.
 */
const PAGES_WITH_THREAD = 16_000;

const THREAD = new URL('checkpoint-thread.ts', import.meta.url);

/** The thread needs no more, and a process should not grow for it. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/**
 * Copies SQLite's write-ahead log into the database in a thread of its own, because copying and syncing took the
 * JavaScript thread up to a second on a large database. Commits still sync the log themselves, so they are as durable
 * as before. Without the thread, for example when it failed, SQLite checkpoints in the thread that commits.
 */
export class Checkpoints {
  readonly #database: DatabaseSync;
  #timer: NodeJS.Timeout | undefined;
  #thread: Worker | undefined;
  #ended: Promise<void> | undefined;

  readonly #startsAfterMs: number;

  constructor(database: DatabaseSync, { startsAfterMs = THREAD_STARTS_AFTER_MS } = {}) {
    this.#database = database;
    this.#startsAfterMs = startsAfterMs;
  }

  start(): void {
    this.#timer = setTimeout(() => this.#startThread(), this.#startsAfterMs).unref();
  }

  /** Waits for a running checkpoint. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#thread?.postMessage('stop');
    // The thread must not be left to a process that ends.
    this.#thread?.ref();
    await this.#ended;
  }

  #startThread(): void {
    const thread = new Worker(THREAD, {
      workerData: { file: this.#database.location() },
      resourceLimits: LIMITS,
      // Inherits neither preloaded modules nor profilers.
      execArgv: [],
    });
    thread.unref();
    thread.on('error', () => undefined);
    thread.once('online', () => this.#setAutomatic(PAGES_WITH_THREAD));
    this.#thread = thread;
    this.#ended = new Promise((resolve) => {
      thread.once('exit', () => {
        this.#setAutomatic(PAGES_WITHOUT_THREAD);
        this.#thread = undefined;
        resolve();
      });
    });
  }

  #setAutomatic(pages: number): void {
    if (this.#database.isOpen) this.#database.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}
