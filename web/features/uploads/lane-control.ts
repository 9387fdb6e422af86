/** Browsers open at most six connections to one host. */
const MOST_LANES = 6;
const FIRST_LANES = 4;

/** How many chunks may be under way at once: a little more with each success, half after each broken one. */
export class LaneControl {
  #limit = FIRST_LANES;

  get lanes(): number {
    return Math.floor(this.#limit);
  }

  succeed(): void {
    this.#limit = Math.min(MOST_LANES, this.#limit + 1 / this.#limit);
  }

  fail(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }
}
