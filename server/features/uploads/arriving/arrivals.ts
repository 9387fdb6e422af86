import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { chunkLengthAt, type Place } from '../../../platform/storage/blob-store.ts';
import { combineChunks } from '../../../platform/storage/seal-files.ts';

/** Chunks that another process has stored are found within this time. */
const POLL_MS = 250;
/** Uploads that another process has withdrawn are found within this time. */
const CHECK_MS = SECOND_MS;
/** For storage that can read only complete files. */
const COMPLETION_POLL_MS = SECOND_MS;
const IDS_PER_STATEMENT = 500;

type Deps = Pick<Context, 'db' | 'blobs' | 'leases'>;

export type WatchedUpload = Place & { id: string };

const arrivalsByDb = new WeakMap<Db, Arrivals>();

/** One instance per database and process. */
export function arrivalsOf({ db, blobs, leases }: Deps): Arrivals {
  const arrivals = arrivalsByDb.get(db) ?? new Arrivals({ db, blobs, leases });
  arrivalsByDb.set(db, arrivals);
  return arrivals;
}

/**
 * Wakes downloads that wait for chunks. Downloads of the same file share one watch, so the cost does not grow with their
 * number: this process announces its own chunks, and those of other processes are found in the chunk notes.
 */
class Arrivals {
  readonly #deps: Deps;
  readonly #watches = new Map<string, ArrivalWatch>();
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Call `release` on the result once. */
  watch(upload: WatchedUpload): ArrivalWatch {
    let watch = this.#watches.get(upload.id);
    if (!watch) {
      const remove = () => this.#watches.delete(upload.id);
      watch = new ArrivalWatch(this.#deps, upload, remove);
      this.#watches.set(upload.id, watch);
      this.#pollLater();
    }
    watch.retain();
    return watch;
  }

  /** Call it when a chunk has been stored. */
  chunkStored(uploadId: string, index: number): void {
    this.#watches.get(uploadId)?.wake(index);
  }

  /** Call it when an upload has been cancelled or removed. */
  withdraw(uploadId: string): void {
    this.#watches.get(uploadId)?.end();
  }

  /** The lowest chunk that a download of this process waits for. */
  findWanted(uploadId: string): number | undefined {
    return this.#watches.get(uploadId)?.lowestWanted;
  }

  #pollLater(): void {
    this.#timer ??= setTimeout(() => {
      void this.#poll().finally(() => {
        this.#timer = undefined;
        if (this.#watches.size > 0) this.#pollLater();
      });
    }, POLL_MS).unref();
  }

  /** Failures are temporary: the next poll tries again. */
  async #poll(): Promise<void> {
    const isCheckDue = performance.now() - this.#checkedAt >= CHECK_MS;
    if (!isCheckDue && !this.#deps.leases) return;
    const watches = [...this.#watches.values()];
    for (const watch of watches) await watch.poll().catch(() => undefined);
    if (!isCheckDue) return;
    this.#checkedAt = performance.now();
    await this.#endWithdrawn(watches).catch(() => undefined);
  }

  async #endWithdrawn(watches: ArrivalWatch[]): Promise<void> {
    for (let start = 0; start < watches.length; start += IDS_PER_STATEMENT) {
      const some = watches.slice(start, start + IDS_PER_STATEMENT);
      const wanted = await listWanted(
        this.#deps.db,
        some.map(({ uploadId }) => uploadId),
      );
      for (const watch of some) if (!wanted.has(watch.uploadId)) watch.end();
    }
  }
}

export class ArrivalWatch {
  readonly #deps: Deps;
  readonly #upload: WatchedUpload;
  readonly #remove: () => void;
  readonly #waiting = new Map<number, Set<() => void>>();
  #readers = 0;
  #hasEnded = false;

  constructor(deps: Deps, upload: WatchedUpload, remove: () => void) {
    this.#deps = deps;
    this.#upload = upload;
    this.#remove = remove;
  }

  get uploadId(): string {
    return this.#upload.id;
  }

  get lowestWanted(): number | undefined {
    return this.#waiting.size === 0 ? undefined : Math.min(...this.#waiting.keys());
  }

  retain(): void {
    this.#readers += 1;
  }

  release(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.#remove();
  }

  /**
   * Resolves once the chunk is stored. Rejects with the signal's reason, or AppError `file_withdrawn` if its upload was
   * cancelled.
   */
  async waitForChunk(index: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#requireOpen();
      signal.throwIfAborted();
      // Registered before the check, so that a chunk stored in between wakes it.
      const woken = this.#register(index);
      try {
        if (await this.#isStored(index)) return;
        signal.throwIfAborted();
        await Promise.race([woken.promise, abortedBy(signal, woken.cancelled)]);
      } finally {
        woken.cancel();
      }
    }
  }

  /** Resolves with the CRC-32 of the file once all of it can be read. Rejects like `waitForChunk`. */
  async waitUntilWhole(signal: AbortSignal): Promise<number> {
    const { blobs, db } = this.#deps;
    if (!blobs.readsOpenUploads) {
      for (;;) {
        const crc32 = await findCompleteCrc32(db, this.uploadId);
        if (crc32 !== undefined) return crc32;
        this.#requireOpen();
        await sleep(COMPLETION_POLL_MS, undefined, { signal, ref: false }).catch(() =>
          signal.throwIfAborted(),
        );
      }
    }
    const { chunkCount } = this.#upload;
    for (let index = 0; index < chunkCount; index += 1) await this.waitForChunk(index, signal);
    return combineChunks(this.#upload, chunkCount === 0 ? [] : await blobs.listChunks(this.#upload)).crc32;
  }

  /** Asks the database, so that a cancelled upload never looks complete. Throws AppError `file_withdrawn`. */
  async requireWanted(): Promise<void> {
    this.#requireOpen();
    await requireWanted(this.#deps.db, [this.uploadId]);
  }

  wake(index: number): void {
    for (const wake of this.#waiting.get(index) ?? []) wake();
  }

  end(): void {
    this.#hasEnded = true;
    for (const index of [...this.#waiting.keys()]) this.wake(index);
  }

  async poll(): Promise<void> {
    for (const index of [...this.#waiting.keys()]) if (await this.#isStored(index)) this.wake(index);
  }

  async #isStored(index: number): Promise<boolean> {
    const { sizeBytes } = await this.#deps.blobs.findHead(this.#upload, index);
    return sizeBytes === chunkLengthAt(this.#upload, index);
  }

  #requireOpen(): void {
    if (this.#hasEnded) throw new AppError('file_withdrawn');
  }

  #register(index: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancelled = new AbortController();
    const waiting = this.#waiting.get(index) ?? new Set();
    this.#waiting.set(index, waiting.add(resolve));
    return {
      promise,
      cancelled: cancelled.signal,
      cancel: () => {
        cancelled.abort();
        waiting.delete(resolve);
        if (waiting.size === 0 && this.#waiting.get(index) === waiting) this.#waiting.delete(index);
      },
    };
  }
}

/** Removes its listener once `over` is aborted, so that a long wait doesn't accumulate listeners. */
function abortedBy(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over });
  });
}

async function findCompleteCrc32(db: Db, uploadId: string): Promise<number | undefined> {
  const file = await db.selectFrom('files').select('crc32').where('id', '=', uploadId).executeTakeFirst();
  return file?.crc32;
}

/** Throws AppError `file_withdrawn` if one of the uploads was cancelled, or the link no longer works. */
export async function requireWanted(db: Db, ids: string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
    const some = ids.slice(start, start + IDS_PER_STATEMENT);
    if ((await listWanted(db, some)).size < some.length) throw new AppError('file_withdrawn');
  }
}

/** Open and complete uploads of transfers whose link works. */
async function listWanted(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('uploads')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .select('uploads.id')
    .where('uploads.id', 'in', ids)
    .where('transfers.status', 'in', PUBLIC_STATUSES)
    .where('transfers.takenDownAt', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** While false, stored chunks must not change: recipients may have them already. */
export async function mayReplaceChunks(db: Db, uploadId: string): Promise<boolean> {
  const arriving = await db
    .selectFrom('uploads')
    .innerJoin('transfers', 'transfers.id', 'uploads.transferId')
    .select('uploads.id')
    .where('uploads.id', '=', uploadId)
    .where('transfers.publishedAt', '>', 0)
    .where('transfers.status', '!=', 'ready')
    .executeTakeFirst();
  return arriving === undefined;
}
