import { countOf } from '../values/format.ts';

const LOCAL_DAYS = new Intl.DateTimeFormat('en', { dateStyle: 'long' });
const UTC_DAYS = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** `createdAt`: epoch milliseconds or an ISO instant. */
type NamedTransfer = { title: string | null; createdAt: number | string };

/**
 * What a transfer is called for its owner and for administrators: its title, or the day it was created ("Transfer of
 * March 14, 2026"), by default in the reader's time zone.
 */
export function nameTransfer(
  { title, createdAt }: NamedTransfer,
  { isUtc = false }: { isUtc?: boolean } = {},
): string {
  if (title) return title;
  const instant = typeof createdAt === 'number' ? createdAt : Date.parse(createdAt);
  // During an update, a server of the previous release may leave the time out where it is new.
  if (Number.isNaN(instant)) return 'Untitled transfer';
  return `Transfer of ${(isUtc ? UTC_DAYS : LOCAL_DAYS).format(instant)}`;
}

/** What a transfer is called for its recipients: its title, or how much they get ("3 files for you"). */
export function nameForRecipients({
  title,
  fileCount = 0,
}: {
  title?: string | null | undefined;
  fileCount?: number | undefined;
}): string {
  return title || `${countOf(fileCount, 'file')} for you`;
}
