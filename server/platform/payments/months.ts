import type { Instant } from '../db/schema.ts';

/**
 * The same moment so many calendar months later, in UTC; a day that month has not got is its last one:
 * 31 January and one month is 28 February, and two months are 31 March again.
 */
export function addMonths(from: Instant, months: number): Instant {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime();
}

/** The end of the period that begins at `start`, where periods are counted in months from `anchor`. */
export function periodEnd(anchor: Instant, start: Instant): Instant {
  const [first, last] = [new Date(anchor), new Date(start)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  return addMonths(anchor, years * 12 + last.getUTCMonth() - first.getUTCMonth() + 1);
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
