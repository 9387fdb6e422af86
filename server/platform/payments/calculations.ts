import type { Instant } from '../db/schema/column-types.ts';

/** Rounds half a cent up. */
export function discountedCents(priceCents: number, discountPercent: number): number {
  return Math.floor((priceCents * (100 - discountPercent) + 50) / 100);
}

/**
 * UTC. A missing day becomes the last of the month: 31 January plus one month is 28 February, plus two is 31
 * March.
 */
export function addMonths(from: Instant, months: number): Instant {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime();
}

/** Periods are whole months counted from `anchor`. */
export function periodEnd(anchor: Instant, start: Instant): Instant {
  const [first, last] = [new Date(anchor), new Date(start)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  return addMonths(anchor, years * 12 + last.getUTCMonth() - first.getUTCMonth() + 1);
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
