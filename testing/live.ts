import { HOUR_MS } from '../contracts/values/durations.ts';
import type { TestServer } from './test-context.ts';

/** Short enough for every periodic job except those that run every few minutes. */
const STEP_MS = 2 * HOUR_MS;

/** Advances the clock by `durationMs` in steps and runs the periodic jobs in between. */
export async function live(
  { clock, drainJobs }: Pick<TestServer, 'clock' | 'drainJobs'>,
  durationMs: number,
): Promise<void> {
  for (let left = durationMs; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(left, STEP_MS));
    await drainJobs();
  }
}
