/** The only source of time. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Monotonic; comparable within one process only. */
  monotonicMs(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };

/** ISO 8601 in UTC. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

export function toIsoOrNull(instant: number | null): string | null {
  return instant === null ? null : toIso(instant);
}

/** 'YYYY-MM' in UTC. */
export function monthOf(instant: number): string {
  return toIso(instant).slice(0, 7);
}

/** 'YYYY-MM-DD' in UTC. */
export function dayOf(instant: number): string {
  return toIso(instant).slice(0, 10);
}
