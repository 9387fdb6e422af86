import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';

/** A ready transfer that files are added to, with what it holds so far. */
export type AddTarget = Pick<
  TransferDetail,
  'id' | 'title' | 'createdAt' | 'fileCount' | 'totalSize' | 'expiresAt' | 'files'
>;
