import type { TierLimits } from '../../../contracts/plans/tiers.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { TransferRow, UploadRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { holdOwnTransfer, removeEmptyDraft, reserveInTransfer } from '../transfers/index.ts';
import { movePacks } from './pack-queries.ts';
import { findNextPosition, hasUploads } from './queries.ts';
import type { Uploader } from './uploader.ts';

type Joining<Upload extends UploadRow> = {
  uploader: Uploader;
  limits: TierLimits;
  transfer: TransferRow;
  uploads: Upload[];
};

/**
 * For clients that name the transfer only at completion: an upload that opened a draft of its own moves, with
 * its reservation and its pack, behind the files of this transfer. The uploads' rows name the transfer already;
 * `uploads` are as they were before. Throws AppError `transfer_limit_exceeded`, or `conflict` when the draft
 * it comes from holds anything else.
 */
export async function joinTransfer<Upload extends UploadRow>(
  trx: Trx,
  { uploader, limits, transfer, uploads }: Joining<Upload>,
): Promise<Upload[]> {
  const transferId = transfer.id;
  const joining = uploads.filter((upload) => upload.transferId !== transferId);
  if (joining.length === 0) return uploads;
  const bytes = joining.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { storagePerTransfer } = limits;
  await reserveInTransfer(trx, { owner: uploader.owner, transferId, bytes, storagePerTransfer });
  for (const { transferId: draftId } of joining) {
    if (uploader.visitor) await requireSameVisit(trx, transfer, draftId);
    await dissolveDraft(trx, draftId, transferId);
  }
  let position = await findNextPosition(trx, transferId);
  const moved = new Set(joining.map(({ id }) => id));
  return uploads.map((upload) =>
    moved.has(upload.id) ? { ...upload, transferId, position: position++ } : upload,
  );
}

/** What was judged by the room of one visit does not move into another's. */
async function requireSameVisit(trx: Trx, { userId, visitId }: TransferRow, draftId: string): Promise<void> {
  const draft = await holdOwnTransfer(trx, userId, draftId);
  if (draft.visitId !== visitId) throw new AppError('conflict');
}

async function dissolveDraft(trx: Trx, draftId: string, transferId: string): Promise<void> {
  if (await hasUploads(trx, draftId)) throw new AppError('conflict');
  await movePacks(trx, draftId, transferId);
  if (!(await removeEmptyDraft(trx, draftId))) throw new AppError('conflict');
}
