import { toInstant, toLocalDateTime } from '../../lib/local-date-time.ts';

/** What a `datetime-local` field holds, as ISO text in UTC; undefined when it is empty. */
export function readLocalInstant(text: string): string | undefined {
  const [date = '', time = '00:00'] = text.split('T');
  return toInstant(date, time);
}

/** An instant for a `datetime-local` field. */
export function writeLocalInstant(instant: string | null): string {
  const { date, time } = toLocalDateTime(instant);
  return date && `${date}T${time}`;
}
