import { countOf, formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';

/** 'and 7 more'; undefined for none. */
export function describeMore(count: number): string | undefined {
  return count > 0 ? `and ${formatCount(count)} more` : undefined;
}

export function describeFiles({ fileCount, totalBytes }: { fileCount: number; totalBytes: number }): string {
  return `${countOf(fileCount, 'file')} (${formatSize(totalBytes)})`;
}

const INSTANT_FORMAT = new Intl.DateTimeFormat('en', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const DATE_FORMAT = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** Names the time zone, because the reader's is unknown. */
export function formatInstant(instant: number): string {
  return `${INSTANT_FORMAT.format(instant)} UTC`;
}

export function formatDate(instant: number): string {
  return DATE_FORMAT.format(instant);
}
