import { i18n } from '../../../lib/language/messages.tsx';

const DAY = new Intl.DateTimeFormat(i18n.locale, { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** The day on which monthly usage resets: the first of the next month in UTC. */
export function formatNextReset(now: number): string {
  const today = new Date(now);
  return DAY.format(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1));
}
