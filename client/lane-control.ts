/** Two lanes keep the connection busy while one waits for a response. */
const FIRST_LANES = 2;
/** Add a lane after a faster chunk. On slow connections, more lanes only mean more bytes to resend after a failure. */
const QUICK_MS = 2_000;
/** Remove a lane after a slower chunk: two lanes with 5 MiB each at about 5 Mbit/s. */
const SLOW_MS = 16_000;

/** Limits the chunks in flight: one more after each quick chunk, one less after each slow one, half after a failure. */
export class LaneControl {
  readonly #maxLanes: number;
  #limit: number;

  constructor(maxLanes: number) {
    this.#maxLanes = maxLanes;
    this.#limit = Math.min(FIRST_LANES, maxLanes);
  }

  get lanes(): number {
    return Math.floor(this.#limit);
  }

  succeed(tookMs: number): void {
    if (tookMs < QUICK_MS) this.#limit = Math.min(this.#maxLanes, this.#limit + 1);
    if (tookMs > SLOW_MS) this.#limit = Math.max(1, this.#limit - 1);
  }

  fail(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }
}
