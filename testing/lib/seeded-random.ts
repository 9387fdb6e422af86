import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';

/** Reproducible random numbers. The seed is printed, and `FAULTS_SEED` sets it. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from `low` to `high`, both inclusive (mulberry32). */
  between(low: number, high: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const fraction = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    return low + Math.floor(fraction * (high - low + 1));
  }
}

export function seedRandom(t: TestContext): SeededRandom {
  const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
  t.diagnostic(`FAULTS_SEED=${seed}`);
  return new SeededRandom(seed);
}
