import { countOf } from '../values/format.ts';

const LOCAL_DAYS = new Intl.DateTimeFormat('en', { dateStyle: 'long' });
const UTC_DAYS = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** `createdAt`: epoch milliseconds or an ISO instant. */
type NamedTransfer = { title: string | null; createdAt: number | string };

/**
 * For owners and administrators: the title, or the day it was created ("Transfer of March 14, 2026"), in the local
 * time zone by default.
 */
export function nameTransfer(
  { title, createdAt }: NamedTransfer,
  { isUtc = false }: { isUtc?: boolean } = {},
): string {
  if (title) return title;
  const instant = typeof createdAt === 'number' ? createdAt : Date.parse(createdAt);
  // During a rolling update, a server of the previous release may omit the time.
  if (Number.isNaN(instant)) return 'Untitled transfer';
  return `Transfer of ${(isUtc ? UTC_DAYS : LOCAL_DAYS).format(instant)}`;
}

/** The title, or the number of files ("3 files for you"). */
export function nameForRecipients({
  title,
  fileCount = 0,
}: {
  title?: string | null | undefined;
  fileCount?: number | undefined;
}): string {
  return title || `${countOf(fileCount, 'file')} for you`;
}
