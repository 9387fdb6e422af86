/** Browsers open at most six connections to one host. */
const MOST_LANES = 6;
/** Two keep a line busy while one of them waits for an answer; more are opened when they prove useful. */
const FIRST_LANES = 2;
/** A chunk that takes less leaves room for another lane. On slow lines more lanes only mean more to send again after a break. */
const QUICK_MS = 2_000;

/** How many chunks may be under way at once: more while they go quickly, half after each broken one. */
export class LaneControl {
  #limit = FIRST_LANES;

  get lanes(): number {
    return Math.floor(this.#limit);
  }

  succeed(tookMs: number): void {
    if (tookMs < QUICK_MS) this.#limit = Math.min(MOST_LANES, this.#limit + 1);
  }

  fail(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }
}
