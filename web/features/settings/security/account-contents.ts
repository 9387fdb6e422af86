import { plural, t } from '@lingui/core/macro';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';

/** '2 transfers with 5 files (1.2 GB)' */
export function describeAccountContents(transfers: Pick<Transfer, 'fileCount' | 'totalSize'>[]): string {
  const files = transfers.reduce((sum, { fileCount }) => sum + fileCount, 0);
  const sizeBytes = transfers.reduce((sum, { totalSize }) => sum + totalSize, 0);
  const count = transfers.length;
  if (count === 0) return t`No transfers`;
  const size = formatSize(sizeBytes);
  return t`${plural(count, { one: '# transfer', other: '# transfers' })} with ${plural(files, { one: '# file', other: '# files' })} (${size})`;
}
