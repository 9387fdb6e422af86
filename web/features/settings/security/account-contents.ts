import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { countOf } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';

/** '2 transfers with 5 files (1.2 GB)' */
export function describeAccountContents(transfers: Pick<Transfer, 'fileCount' | 'totalSize'>[]): string {
  const files = transfers.reduce((sum, { fileCount }) => sum + fileCount, 0);
  const sizeBytes = transfers.reduce((sum, { totalSize }) => sum + totalSize, 0);
  if (transfers.length === 0) return 'no transfers';
  return `${countOf(transfers.length, 'transfer')} with ${countOf(files, 'file')} (${formatSize(sizeBytes)})`;
}
