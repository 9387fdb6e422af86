import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { SECOND_MS } from '../../../contracts/values/durations.ts';

/** The longest stretch of work, and so the longest additional delay of a request. */
const STRETCH_MS = 2;
const SHORTEST_REST_MS = 2;
const LONGEST_REST_MS = 128;
/** Event loop utilization during a rest above which the process counts as busy. */
const BUSY_UTILIZATION = 0.5;
/** Shorter waits add up to one of this length, because timers are not precise enough. */
const SHORTEST_WAIT_MS = 10;

/**
 * Throttles background work. It rests after each short stretch of work, and longer while the process is busy.
 * Utilization is measured during the rests, so the work itself does not count. With `bytesPerSecond` it also limits the
 * rate.
 */
export class Pace {
  readonly #bytesPerSecond: number;
  #restMs = SHORTEST_REST_MS;
  #restedAt = performance.now();
  #paidUntil = performance.now();

  constructor({ bytesPerSecond = Number.POSITIVE_INFINITY }: { bytesPerSecond?: number } = {}) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Await this after each small piece of work; `bytes` is how much it read. */
  async throttle(bytes = 0): Promise<void> {
    await this.#keepRate(bytes);
    if (performance.now() - this.#restedAt < STRETCH_MS) return;
    const before = performance.eventLoopUtilization();
    await setTimeout(this.#restMs);
    const { utilization } = performance.eventLoopUtilization(before);
    const next = utilization > BUSY_UTILIZATION ? this.#restMs * 2 : this.#restMs / 2;
    this.#restMs = Math.min(Math.max(next, SHORTEST_REST_MS), LONGEST_REST_MS);
    this.#restedAt = performance.now();
  }

  async #keepRate(bytes: number): Promise<void> {
    const now = performance.now();
    this.#paidUntil = Math.max(this.#paidUntil, now - SECOND_MS) + (bytes / this.#bytesPerSecond) * SECOND_MS;
    const aheadMs = this.#paidUntil - now;
    if (aheadMs >= SHORTEST_WAIT_MS) await setTimeout(aheadMs);
  }
}
