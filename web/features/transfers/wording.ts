import type { RecentDownload, Transfer, TransferFile } from '../../../contracts/transfers/transfers.ts';
import { countOf, formatCount } from '../../../contracts/values/format.ts';

/** '4 downloads', and with a limit '4 of 10 downloads'. */
export function downloadsOf({
  downloadCount,
  maxDownloads,
}: Pick<Transfer, 'downloadCount' | 'maxDownloads'>): string {
  if (maxDownloads === null) return countOf(downloadCount, 'download');
  return `${formatCount(downloadCount)} of ${countOf(maxDownloads, 'download')}`;
}

/** The name of the downloaded file, '2 of 3 files' for a selection, or 'All files'. */
export function nameOfDownload(
  { fileId, selectedFiles }: Pick<RecentDownload, 'fileId' | 'selectedFiles'>,
  { files, fileCount }: { files: TransferFile[]; fileCount: number },
): string {
  if (selectedFiles !== null) return `${formatCount(selectedFiles)} of ${countOf(fileCount, 'file')}`;
  if (fileId === null) return 'All files';
  return files.find(({ id }) => id === fileId)?.originalName ?? 'One file';
}
