import type { Clock } from '../platform/lib/clock.ts';

/** A clock that stands still until it is told to move. */
export class ManualClock implements Clock {
  #now: number;

  constructor(start = Date.UTC(2026, 10, 15, 12)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
