import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { enqueueCheck } from '../../checksums/index.ts';
import { enqueueFileDetection } from '../../previews/index.ts';
import { enqueueZipMeasure } from '../../transfers/index.ts';
import type { Uploader } from './uploader.ts';

/** The scanner reads files first, so that the checksum job need not read them again. */
const SCAN_FIRST_MS = 30 * SECOND_MS;

type ReadyTransfer = {
  owner: Uploader['owner'];
  /** As it was before. */
  transfer: TransferRow;
  now: number;
  addedFiles?: number;
  hasHeldFiles?: boolean;
};

/** Work on the files of a transfer that has become ready, or of a ready one that has got more files. */
export async function enqueueReadyJobs(
  trx: Trx,
  { owner, transfer, now, addedFiles = 0, hasHeldFiles = false }: ReadyTransfer,
): Promise<void> {
  const { id: transferId } = transfer;
  const isHeld = hasHeldFiles || transfer.scanState !== null;
  await enqueueCheck(trx, transferId, isHeld ? now + SCAN_FIRST_MS : 0);
  if (transfer.encryption === null) await enqueueFileDetection(trx, { owner, transferId });
  const fileCount = transfer.fileCount + addedFiles;
  const isAddition = transfer.status === 'ready';
  await enqueueZipMeasure(trx, { transferId, fileCount, isAddition }, now);
}
