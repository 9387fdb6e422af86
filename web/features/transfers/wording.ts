import { plural, t } from '@lingui/core/macro';
import type {
  ListedTransfer,
  RecentDownload,
  Transfer,
  TransferFile,
} from '../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../contracts/values/format.ts';

/** '4 downloads', and with a limit '4 of 10 downloads'. */
export function downloadsOf({
  downloadCount,
  maxDownloads,
}: Pick<Transfer, 'downloadCount' | 'maxDownloads'>): string {
  if (maxDownloads === null) return plural(downloadCount, { one: '# download', other: '# downloads' });
  return t`${formatCount(downloadCount)} of ${plural(maxDownloads, { one: '# download', other: '# downloads' })}`;
}

/** '2 of 4 downloaded': the recipients whose own links were used. */
export function recipientsOf({
  recipientEmails,
  recipientsDownloaded,
}: Pick<ListedTransfer, 'recipientEmails' | 'recipientsDownloaded'>): string {
  return t`${formatCount(recipientsDownloaded)} of ${formatCount(recipientEmails.length)} downloaded`;
}

/** The name of the downloaded file, '2 of 3 files' for a selection, or 'All files'. */
export function nameOfDownload(
  { fileId, selectedFiles }: Pick<RecentDownload, 'fileId' | 'selectedFiles'>,
  { files, fileCount }: { files: TransferFile[]; fileCount: number },
): string {
  if (selectedFiles !== null)
    return t`${formatCount(selectedFiles)} of ${plural(fileCount, { one: '# file', other: '# files' })}`;
  if (fileId === null) return t`All files`;
  return files.find(({ id }) => id === fileId)?.originalName ?? t`One file`;
}
