import { i18n } from '../language/messages.tsx';

// ISO instants in the reader's time zone, unless the name says UTC.
const dates = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium' });
const longDates = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'long' });
const dateTimes = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short' });
const longDateTimes = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'long', timeStyle: 'short' });
const times = new Intl.DateTimeFormat(i18n.locale, { timeStyle: 'short' });
const utcDates = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeZone: 'UTC' });
const utcDays = new Intl.DateTimeFormat(i18n.locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const utcMonths = new Intl.DateTimeFormat(i18n.locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** 'Mar 14, 2026' */
export function formatDate(instant: string): string {
  return dates.format(Date.parse(instant));
}

/** 'March 14, 2026' */
export function formatLongDate(instant: string): string {
  return longDates.format(Date.parse(instant));
}

/** 'Mar 14, 2026, 3:04 PM' */
export function formatDateTime(instant: string): string {
  return dateTimes.format(Date.parse(instant));
}

/** 'March 14, 2026 at 3:04 PM' */
export function formatLongDateTime(instant: string): string {
  return longDateTimes.format(Date.parse(instant));
}

/** '3:04 PM' */
export function formatTime(instant: string): string {
  return times.format(Date.parse(instant));
}

/** 'Mar 14, 2026' */
export function formatUtcDate(date: string): string {
  return utcDates.format(Date.parse(date));
}

/** 'Oct 23 – Nov 21, 2026', or 'Nov 21, 2026' for a single day. */
export function formatUtcDays({ from, to }: { from: string; to: string }): string {
  return utcDates.formatRange(Date.parse(from), Date.parse(to));
}

/** 'Mar 14' */
export function formatUtcDay(date: string): string {
  return utcDays.format(Date.parse(date));
}

/** 'Mar 2026' */
export function formatUtcMonth(date: string): string {
  return utcMonths.format(Date.parse(date));
}
