import { toInstant, toLocalDateTime } from '../../lib/time/relative-time.ts';

/** Parses a typed number; NaN for anything else, which the schema refuses. */
export function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.trim());
}

/** Parses the value of a `datetime-local` field into an ISO instant (UTC); undefined if empty. */
export function readLocalInstant(text: string): string | undefined {
  const [date = '', time = '00:00'] = text.split('T');
  return toInstant(date, time);
}

export function writeLocalInstant(instant: string | null): string {
  const { date, time } = toLocalDateTime(instant);
  return date && `${date}T${time}`;
}

/** The domains of a field, separated by commas or spaces. */
export function splitDomains(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}
