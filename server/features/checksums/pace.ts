import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Works so long at a stretch: what a request may have to wait longer. */
const STRETCH_MS = 2;
const SHORTEST_REST_MS = 2;
const LONGEST_REST_MS = 128;
/** Above this share of a rest taken up by others, the server has better things to do. */
const BUSY = 0.5;

/**
 * Keeps long work in the background: it rests after each short stretch, and the longer the busier the process
 * is with other things, which is measured while it rests, so that its own work does not count.
 */
export class Pace {
  #restMs = SHORTEST_REST_MS;
  #restedAt = performance.now();

  /** To be awaited after each small piece of work. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#restedAt < STRETCH_MS) return;
    const before = performance.eventLoopUtilization();
    await setTimeout(this.#restMs);
    const { utilization } = performance.eventLoopUtilization(before);
    const next = utilization > BUSY ? this.#restMs * 2 : this.#restMs / 2;
    this.#restMs = Math.min(Math.max(next, SHORTEST_REST_MS), LONGEST_REST_MS);
    this.#restedAt = performance.now();
  }
}
