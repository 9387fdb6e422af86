import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { SECOND_MS } from '../../../contracts/values/durations.ts';

/** Works this long at a stretch, so a request waits at most this much longer. */
const STRETCH_MS = 2;
const SHORTEST_REST_MS = 2;
const LONGEST_REST_MS = 128;
/** Above this share of a rest taken up by others, the process counts as busy. */
const BUSY = 0.5;
/** Shorter waits for the byte rate are left to add up: timers are not that exact. */
const SHORTEST_WAIT_MS = 10;

/**
 * Keeps long work in the background. It rests after each short stretch, and longer the busier the process is with
 * other work; that is measured during the rest, so its own work does not count. With `bytesPerSecond` it also
 * keeps to that rate.
 */
export class Pace {
  readonly #bytesPerSecond: number;
  #restMs = SHORTEST_REST_MS;
  #restedAt = performance.now();
  /** When the bytes read so far should have been read, at the given rate. */
  #paidUntil = performance.now();

  constructor({ bytesPerSecond = Number.POSITIVE_INFINITY }: { bytesPerSecond?: number } = {}) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** To be awaited after each small piece of work; `bytes` is how much it read. */
  async giveWay(bytes = 0): Promise<void> {
    await this.#keepRate(bytes);
    if (performance.now() - this.#restedAt < STRETCH_MS) return;
    const before = performance.eventLoopUtilization();
    await setTimeout(this.#restMs);
    const { utilization } = performance.eventLoopUtilization(before);
    const next = utilization > BUSY ? this.#restMs * 2 : this.#restMs / 2;
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
