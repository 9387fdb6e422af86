import type { Clock } from '../../server/platform/lib/clock.ts';

/** A clock that moves only when a test moves it. */
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

  /** Sets the wall clock forward or back. The monotonic clock does not move. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
