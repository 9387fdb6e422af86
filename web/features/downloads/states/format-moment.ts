const moments = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short' });
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** 'August 5, 2026 at 2:00 PM', in the reader's time zone. */
export function formatMoment(instant: string): string {
  return moments.format(new Date(instant));
}

/** 'Aug 5, 2026' */
export function formatDay(instant: string): string {
  return days.format(new Date(instant));
}
