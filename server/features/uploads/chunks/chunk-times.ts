import type { Context } from '../../../context.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import type { ChunkPhase } from '../../../platform/metrics/metrics.ts';

/** Slow because of this server: storage, database, or waiting for other writers of the chunk. */
const SLOW_SERVER_MS = 2_000;
/** Slow for any reason, including a slow connection. */
const SLOW_CHUNK_MS = 30_000;

type Deps = Pick<Context, 'metrics' | 'log'>;

/** Logs slow chunks as `warn` if the server is the reason, as `info` if it is the client. */
export class ChunkTimes {
  readonly #deps: Deps;
  readonly #chunk: { uploadId: string; index: number };
  readonly #startedAt = performance.now();
  readonly #ms: Record<ChunkPhase, number> = { client: 0, lease: 0, storage: 0, database: 0 };
  #hasEntered = false;

  constructor({ metrics, log }: Deps, chunk: { uploadId: string; index: number }) {
    this.#deps = { metrics, log };
    this.#chunk = chunk;
  }

  async run<T>(receive: () => Promise<T>): Promise<T> {
    try {
      const received = await receive();
      this.#report('stored');
      return received;
    } catch (error) {
      this.#report(isAppError(error) ? error.code : 'failed');
      throw error;
    }
  }

  enter(): void {
    this.#hasEntered = true;
    this.#ms.lease = performance.now() - this.#startedAt;
  }

  async ofDatabase<T>(query: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await query();
    } finally {
      this.#ms.database += performance.now() - startedAt;
    }
  }

  /** `store` adds the time it waits for bytes to `waited`, so that it counts as the client's time. */
  async ofStorage<T>(store: (waited: { forBytesMs: number }) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const waited = { forBytesMs: 0 };
    try {
      return await store(waited);
    } finally {
      this.#ms.client += waited.forBytesMs;
      this.#ms.storage += Math.max(0, performance.now() - startedAt - waited.forBytesMs);
    }
  }

  #report(outcome: string): void {
    const { metrics, log } = this.#deps;
    const totalMs = performance.now() - this.#startedAt;
    if (!this.#hasEntered) this.#ms.lease = totalMs;
    metrics.countChunk(this.#ms);
    const { client, lease, storage, database } = this.#ms;
    const isServerSlow = lease + storage + database > SLOW_SERVER_MS;
    if (!isServerSlow && totalMs <= SLOW_CHUNK_MS) return;
    const line = {
      ...this.#chunk,
      outcome,
      totalMs: Math.round(totalMs),
      clientMs: Math.round(client),
      leaseMs: Math.round(lease),
      storageMs: Math.round(storage),
      databaseMs: Math.round(database),
    };
    if (isServerSlow) log.warn(line, 'slow chunk');
    else log.info(line, 'slow chunk');
  }
}
