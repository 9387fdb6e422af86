import type { Clock } from '../../server/platform/lib/clock.ts';

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #monotonicMs = 0;

  constructor(start = Date.UTC(2026, 10, 15, 12)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    this.#monotonicMs += milliseconds;
  }

  /** Sets the clock forward or back without any time passing. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
