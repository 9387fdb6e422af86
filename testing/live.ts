import { HOUR_MS } from '../contracts/values/durations.ts';
import type { TestServer } from './test-context.ts';

/** Often enough for every periodic job but those of minutes. */
const STEP_MS = 2 * HOUR_MS;

/** Lets the server run for so long, and its periodic jobs with it. */
export async function live(
  { clock, drainJobs }: Pick<TestServer, 'clock' | 'drainJobs'>,
  durationMs: number,
): Promise<void> {
  for (let left = durationMs; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(left, STEP_MS));
    await drainJobs();
  }
}
