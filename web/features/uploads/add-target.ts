import type { TransferDetail } from '../../../contracts/transfers.ts';

/** A ready transfer that files are added to, with what it holds so far. */
export type AddTarget = Pick<
  TransferDetail,
  'id' | 'title' | 'fileCount' | 'totalSize' | 'expiresAt' | 'files'
>;

/** The sender's title, else the name of its first file. */
export function nameOfTarget({ title, files }: Pick<AddTarget, 'title' | 'files'>): string {
  return title || (files[0]?.originalName ?? 'Untitled transfer');
}
