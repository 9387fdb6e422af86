import { formatSize } from '../../../contracts/values/sizes.ts';

/** 'and 7 more', or undefined when there are none. */
export function describeMore(count: number): string | undefined {
  return count > 0 ? `and ${count.toLocaleString('en')} more` : undefined;
}

/** '1 download', '2 downloads'. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;
}

/** '3 files (1.2 GB)' */
export function describeFiles({ fileCount, totalBytes }: { fileCount: number; totalBytes: number }): string {
  return `${countOf(fileCount, 'file')} (${formatSize(totalBytes)})`;
}

const INSTANT_FORMAT = new Intl.DateTimeFormat('en', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const DATE_FORMAT = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** Readers live in zones we do not know, so the zone is written out. */
export function formatInstant(instant: number): string {
  return `${INSTANT_FORMAT.format(instant)} UTC`;
}

export function formatDate(instant: number): string {
  return DATE_FORMAT.format(instant);
}
