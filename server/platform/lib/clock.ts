/** The only source of time. Tests replace it. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a monotonic clock. Comparable within one process only. */
  monotonicMs(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };

/** An instant in responses: ISO 8601 in UTC. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

export function toIsoOrNull(instant: number | null): string | null {
  return instant === null ? null : toIso(instant);
}

/** 'YYYY-MM' in UTC, the key of the monthly usage. */
export function monthOf(instant: number): string {
  return toIso(instant).slice(0, 7);
}

/** 'YYYY-MM-DD' in UTC, the key of the daily totals. */
export function dayOf(instant: number): string {
  return toIso(instant).slice(0, 10);
}
