const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** When the usage of the month starts again from nothing, in words: months are those of UTC (decisions, "Uploads"). */
export function formatNextReset(now: number): string {
  const today = new Date(now);
  return DAY.format(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1));
}
