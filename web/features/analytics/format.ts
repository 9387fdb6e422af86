import type { Device } from '../../../contracts/analytics.ts';

const counts = new Intl.NumberFormat('en');
const shortCounts = new Intl.NumberFormat('en', { notation: 'compact' });
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
// Days are counted in UTC.
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const daysOfYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const monthsOfYear = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });

export function formatCount(count: number): string {
  return counts.format(count);
}

/** '1.2K' */
export function formatShortCount(count: number): string {
  return shortCounts.format(count);
}

/** '1 view', '1,200 views' */
export function countOf(count: number, singular: string): string {
  return `${formatCount(count)} ${singular}${count === 1 ? '' : 's'}`;
}

/** From 0 to 1: '66.7%'. */
export function formatShare(share: number): string {
  return shares.format(share);
}

/** 'Oct 23 – Nov 21, 2026', or 'Nov 21, 2026' for a single day. */
export function formatDays({ from, to }: { from: string; to: string }): string {
  return dates.formatRange(Date.parse(from), Date.parse(to));
}

/** 'Nov 16' */
export function nameOfDay(date: string): string {
  return daysOfYear.format(Date.parse(date));
}

/** 'Nov 2026' */
export function nameOfMonth(date: string): string {
  return monthsOfYear.format(Date.parse(date));
}

/** The English name of an ISO 3166-1 alpha-2 code; `ZZ` means unknown. */
export function nameOfCountry(code: string): string {
  return code === 'ZZ' ? 'Unknown' : (countryNames.of(code) ?? code);
}

const DEVICES: Record<Device, string> = {
  desktop: 'Computer',
  mobile: 'Phone',
  tablet: 'Tablet',
  other: 'Other',
};

export function nameOfDevice(device: Device): string {
  return DEVICES[device];
}

/** 'news.example/today', without scheme and 'www.'. The server sums up what exceeds a day's limit as 'other'. */
export function nameOfReferer(referer: string): string {
  if (referer === 'other') return 'Other pages';
  return referer.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '') || 'Direct or unknown';
}
