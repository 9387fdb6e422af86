import { InstantInput } from './fields.ts';

/** From the first year of Windows file systems to the last one with four digits. */
const EARLIEST = Date.UTC(1601, 0, 1);
const LATEST = Date.UTC(10_000, 0, 1) - 1;

/** A file's modification time in requests. */
export const ModificationTime = InstantInput.refine(
  (text) => isModificationTime(Date.parse(text)),
  'This modification time is not between 1601 and 9999.',
);

/** Epoch milliseconds. */
export function isModificationTime(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

/** For a request; undefined for a time that the server would refuse. `time`: epoch milliseconds. */
export function formatModificationTime(time: number): string | undefined {
  const whole = Math.floor(time);
  return isModificationTime(whole) ? new Date(whole).toISOString() : undefined;
}
