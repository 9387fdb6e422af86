const MOST_LANES = 8;
/** Two keep a line busy while one of them waits for an answer; more are opened when they prove useful. */
const FIRST_LANES = 2;
/** A chunk that takes less leaves room for another lane; on slow lines more lanes only mean more to send again. */
const QUICK_MS = 2_000;
/** All chunks in memory at once; the chunks of huge files are larger. */
const MEMORY_BYTES = 64 * 1024 * 1024;

/** How many chunks may be under way at once: more while they go quickly, half after each broken one. */
export class LaneControl {
  #limit = FIRST_LANES;
  readonly #most: number;

  constructor(largestChunkBytes: number) {
    this.#most = Math.max(1, Math.min(MOST_LANES, Math.floor(MEMORY_BYTES / Math.max(1, largestChunkBytes))));
  }

  get lanes(): number {
    return Math.min(this.#most, Math.floor(this.#limit));
  }

  succeed(tookMs: number): void {
    if (tookMs < QUICK_MS) this.#limit = Math.min(MOST_LANES, this.#limit + 1);
  }

  fail(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }
}
