import type { Instant } from '../db/schema/column-types.ts';

/** A price in cents after a discount in percent, rounded to the cent, half a cent up. */
export function discountedCents(priceCents: number, discountPercent: number): number {
  return Math.floor((priceCents * (100 - discountPercent) + 50) / 100);
}

/**
 * The same moment a number of calendar months later, in UTC. A day that does not exist in that month becomes its last
 * day: one month after 31 January is 28 February, two months after it is 31 March.
 */
export function addMonths(from: Instant, months: number): Instant {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime();
}

/** The end of the billing period that starts at `start`, where periods are whole months counted from `anchor`. */
export function periodEnd(anchor: Instant, start: Instant): Instant {
  const [first, last] = [new Date(anchor), new Date(start)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  return addMonths(anchor, years * 12 + last.getUTCMonth() - first.getUTCMonth() + 1);
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
