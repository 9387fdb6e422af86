import { formatSize } from '../../../contracts/values/sizes.ts';

const counts = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const dateTimes = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** 'Mar 14, 2026', in the browser's time zone. */
export function formatDate(instant: string): string {
  return dates.format(Date.parse(instant));
}

/** 'Mar 14, 2026, 3:04 PM' */
export function formatDateTime(instant: string): string {
  return dateTimes.format(Date.parse(instant));
}

export function formatCount(count: number): string {
  return counts.format(count);
}

/** '3 files · 12 MB' */
export function describeFiles(count: number, bytes: number): string {
  return `${counts.format(count)} ${count === 1 ? 'file' : 'files'} · ${formatSize(bytes)}`;
}
