import { AppError } from '../app-error.ts';

const RETRY_AFTER_SECONDS = 5;

/** Tasks wait in the order of arrival, at most `maxWaiting` of them. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number, { maxWaiting = Number.POSITIVE_INFINITY } = {}) {
    this.#limit = limit;
    this.#maxWaiting = maxWaiting;
  }

  /** Throws AppError `unavailable` when too many are waiting. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      // Hand the slot over instead of freeing it, so that no newcomer can overtake the queue.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
