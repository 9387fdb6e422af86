const MINUTE_MS = 60_000;

/** A moment as the browser's date and time fields have it: local `YYYY-MM-DD` and `HH:MM`. */
export type LocalDateTime = { date: string; time: string };

/** The instant as ISO text; undefined without a date, or when the fields make none. */
export function toInstant(date: string, time: string): string | undefined {
  const instant = new Date(`${date}T${time}`);
  return date && !Number.isNaN(instant.getTime()) ? instant.toISOString() : undefined;
}

/** An instant (ISO text or epoch milliseconds) for date and time fields; both empty for null. */
export function toLocalDateTime(instant: string | number | null): LocalDateTime {
  if (instant === null) return { date: '', time: '' };
  const at = new Date(instant);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString();
  return { date: local.slice(0, 10), time: local.slice(11, 16) };
}
