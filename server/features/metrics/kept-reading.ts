import type { Log } from '../../platform/lib/log.ts';

/**
 * A reading that is kept for a while: nobody who asks causes more than one at a time, and however often they ask,
 * it is read no more often than `everyMs`. By a clock that only rises.
 */
export class KeptReading<T> {
  readonly #read: () => Promise<T>;
  readonly #everyMs: number;
  readonly #log: Log;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** The latest that succeeded; undefined before the first. */
  value: T | undefined;

  constructor(read: () => Promise<T>, { everyMs, log }: { everyMs: number; log: Log }) {
    this.#read = read;
    this.#everyMs = everyMs;
    this.#log = log;
  }

  /** Reads again when it is time to. Never rejects: what cannot be read keeps its last value. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < this.#everyMs) return this.#reading;
    this.#readAt = performance.now();
    this.#reading = this.#read()
      .then((value) => {
        this.value = value;
      })
      .catch((err: unknown) => this.#log.warn({ err }, 'A metric could not be read.'))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}
