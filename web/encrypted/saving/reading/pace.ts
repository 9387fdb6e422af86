const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** What happens to a job from outside: pause, resume, cancel. */
export class Pace {
  readonly #canceled = new AbortController();
  #running = new AbortController();
  #resumed: { promise: Promise<void>; resolve: () => void } | undefined;

  /** Ends with the job. */
  get canceled(): AbortSignal {
    return this.#canceled.signal;
  }

  /** Ends with the job or the next pause: for requests, which are repeated after it. */
  get running(): AbortSignal {
    return this.#running.signal;
  }

  get isPaused(): boolean {
    return this.#resumed !== undefined;
  }

  pause(): void {
    if (this.#resumed) return;
    this.#resumed = Promise.withResolvers();
    this.#running.abort();
  }

  resume(): void {
    this.#running = new AbortController();
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  cancel(reason: unknown): void {
    this.#canceled.abort(reason);
    this.#running.abort(reason);
    this.#resumed?.resolve();
  }

  /** Resolves unless paused. Throws if the job was canceled. */
  async wait(): Promise<void> {
    await this.#resumed?.promise;
    this.#canceled.signal.throwIfAborted();
  }

  /** Longer after each failure. Ends early when the network is back, on pause and on cancel. */
  backOff(failures: number): Promise<void> {
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const { running } = this;
    if (running.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(end, pauseMs);
      function end() {
        clearTimeout(timer);
        globalThis.removeEventListener?.('online', end);
        running.removeEventListener('abort', end);
        resolve();
      }
      globalThis.addEventListener?.('online', end);
      running.addEventListener('abort', end);
    });
  }
}
