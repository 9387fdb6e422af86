const counts = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const dateTimes = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
// Trends count days in UTC.
const utcDates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const utcDays = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

export function formatCount(count: number): string {
  return counts.format(count);
}

/** '1 user', '1,200 users' */
export function countOf(count: number, singular: string): string {
  return `${formatCount(count)} ${singular}${count === 1 ? '' : 's'}`;
}

/** Cents as dollars with 2 decimals: '$1,234.50'. */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}

/** An ISO instant in the reader's time zone: 'Mar 14, 2026, 3:04 PM'. */
export function formatDateTime(instant: string): string {
  return dateTimes.format(Date.parse(instant));
}

/** 'Mar 14, 2026' */
export function formatDate(instant: string): string {
  return dates.format(Date.parse(instant));
}

/** A day of the trends: 'Mar 14, 2026'. */
export function formatTrendDay(date: string): string {
  return utcDates.format(Date.parse(date));
}

/** 'Mar 14' */
export function nameOfTrendDay(date: string): string {
  return utcDays.format(Date.parse(date));
}
