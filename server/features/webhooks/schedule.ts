import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/lib/clock.ts';

/** After the first try that failed, the second …: a day in all. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
];

/** Up to so much earlier, so that what failed together is not tried together. */
const JITTER = 0.1;

/** A webhook whose every try failed for so long is switched off. */
export const GIVE_UP_WEBHOOK_MS = 3 * DAY_MS;

/** Milliseconds to the next try after so many that failed; undefined when there is none. `random` is below 1. */
export function findNextDelay(failedTries: number, random: number): number | undefined {
  const delay = DELAYS_MS[failedTries - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER * random));
}
