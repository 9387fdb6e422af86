import type { FileRow } from '../../platform/db/schema.ts';

export type FileTimes = Pick<FileRow, 'modifiedAt' | 'announcedAt' | 'uploadedAt'>;

/** When the file became part of the transfer, as far as known before its bytes. */
export function addedAt({ announcedAt, uploadedAt }: Omit<FileTimes, 'modifiedAt'>): number {
  return announcedAt ?? uploadedAt;
}

/** For the header Last-Modified, which must not be in the future (RFC 9110, section 8.8.2.1). */
export function lastModifiedAt(file: FileTimes): number {
  return Math.min(file.modifiedAt ?? Number.POSITIVE_INFINITY, addedAt(file));
}
