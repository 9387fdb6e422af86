/** From the first year of Windows file systems to the last one with four digits. */
const EARLIEST = Date.UTC(1601, 0, 1);
const LATEST = Date.UTC(10_000, 0, 1) - 1;

/** Epoch milliseconds. */
export function isModificationTime(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

/** For a request; undefined for a time that the server would refuse. `time`: epoch milliseconds. */
export function formatModificationTime(time: number): string | undefined {
  const whole = Math.floor(time);
  return isModificationTime(whole) ? new Date(whole).toISOString() : undefined;
}
