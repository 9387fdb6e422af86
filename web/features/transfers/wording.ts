import type { RecentDownload, Transfer, TransferFile } from '../../../contracts/transfers/transfers.ts';

const counts = new Intl.NumberFormat('en');
const dateTimes = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en', { timeStyle: 'short' });

/** '1 file', '1,200 files'. */
export function countOf(count: number, singular: string): string {
  return `${counts.format(count)} ${singular}${count === 1 ? '' : 's'}`;
}

/** '4 downloads', and with a limit '4 of 10 downloads'. */
export function downloadsOf({
  downloadCount,
  maxDownloads,
}: Pick<Transfer, 'downloadCount' | 'maxDownloads'>): string {
  if (maxDownloads === null) return countOf(downloadCount, 'download');
  return `${counts.format(downloadCount)} of ${countOf(maxDownloads, 'download')}`;
}

/** 'Mar 14, 2026, 3:04 PM', in the browser's time zone. */
export function formatDateTime(instant: string): string {
  return dateTimes.format(Date.parse(instant));
}

/** 'Mar 14, 2026' */
export function formatDate(instant: string): string {
  return dates.format(Date.parse(instant));
}

/** '3:04 PM' */
export function formatTime(instant: string): string {
  return times.format(Date.parse(instant));
}

/** The name of the downloaded file, '2 of 3 files' for a selection, or 'All files'. */
export function nameOfDownload(
  { fileId, selectedFiles }: Pick<RecentDownload, 'fileId' | 'selectedFiles'>,
  { files, fileCount }: { files: TransferFile[]; fileCount: number },
): string {
  if (selectedFiles !== null) return `${counts.format(selectedFiles)} of ${countOf(fileCount, 'file')}`;
  if (fileId === null) return 'All files';
  return files.find(({ id }) => id === fileId)?.originalName ?? 'One file';
}
