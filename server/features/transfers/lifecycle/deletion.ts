import { z } from 'zod';
import type { FateCause } from '../../../../contracts/admin/lookup.ts';
import { UNDO_MS } from '../../../../contracts/transfers/transfers.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { cancelWaitingJob, enqueue } from '../../../platform/jobs/queue.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import {
  dropMailsOfTransfer,
  resumeMailsOfTransfer,
  suspendMailsOfTransfer,
} from '../../../platform/mail/outbox.ts';
import { countRestOf } from '../../analytics/index.ts';
import { releaseUnfinished } from '../limits/usage.ts';
import {
  closeUndo,
  deleteDeletingTransfer,
  deleteEarlierFilesRow,
  deletePartsOfTransfer,
  findDeletingTransfer,
  listStorageKeys,
  markDeleting,
  markRestored,
} from '../queries.ts';
import { earlierFilesOf } from '../versions/earlier-files.ts';
import { type FateContext, recordTransferFates } from './fates.ts';

/** On S3 each removal is a round trip. */
const REMOVALS_AT_ONCE = 8;

/** Longer than the pages offer it, because the call takes time. */
export const RESTORE_WINDOW_MS = UNDO_MS + 5 * SECOND_MS;

/** Removes the bytes before the row, because the row is needed to find them. Idempotent. */
export const removeTransferDataJob = defineJob<Context, { transferId: string }>({
  name: 'remove-transfer-data',
  payload: z.object({ transferId: z.string() }),
  removesBytes: true,
  run: removeTransferData,
});

type Removal = {
  cause: FateCause;
  expiredBefore?: number;
  /** `undoRemoval` can bring it back for a while. Ignored for drafts and for transfers that auto-delete has closed. */
  isUndoable?: boolean;
};

/** A job removes the bytes. Returns false if already deleted or if the expiry is not before `expiredBefore`. */
export async function removeTransfer(
  context: FateContext,
  transferId: string,
  { cause, expiredBefore, isUndoable = false }: Removal,
): Promise<boolean> {
  const { db: trx, clock } = context;
  const restorableUntil = isUndoable ? clock.now() + RESTORE_WINDOW_MS : null;
  const transfer = await markDeleting(trx, { transferId, expiredBefore, restorableUntil });
  if (!transfer) return false;
  await recordTransferFates(context, cause, [transfer]);
  if (transfer.restorableUntil === null) {
    await releaseUnfinished(trx, transferId);
    await dropMailsOfTransfer(trx, transferId);
  } else await suspendMailsOfTransfer(trx, transferId);
  await enqueueRemoval(trx, transferId, transfer.restorableUntil ?? 0);
  return true;
}

/**
 * Undoes a deletion: link, files, counts and queued mails are as before. Throws AppError `transfer_not_found`,
 * `undo_too_late`.
 */
export async function undoRemoval(
  context: FateContext,
  { transferId, userId }: { transferId: string; userId: string },
): Promise<void> {
  const { db: trx, clock } = context;
  const now = clock.now();
  const restored = await markRestored(trx, { transferId, userId, now, latest: now + RESTORE_WINDOW_MS });
  if (!restored) {
    const isDeleting = (await findDeletingTransfer(trx, transferId))?.userId === userId;
    throw new AppError(isDeleting ? 'undo_too_late' : 'transfer_not_found');
  }
  // A process of the previous release may have started to remove the bytes.
  const isUntouched = await cancelWaitingJob(trx, removeTransferDataJob, transferId);
  if (!isUntouched) throw new AppError('undo_too_late');
  await recordTransferFates(context, 'restored-by-owner', [restored]);
  await resumeMailsOfTransfer(trx, transferId, now);
}

export function enqueueRemoval(trx: Trx, transferId: string, runAt = 0): Promise<void> {
  return enqueue(trx, removeTransferDataJob, { transferId }, { uniqueKey: transferId, runAt });
}

async function removeTransferData(context: Context, { transferId }: { transferId: string }): Promise<void> {
  const { db, blobs } = context;
  if (!(await transaction(db, (trx) => startRemoval({ ...context, db: trx }, transferId)))) return;
  // First the files of earlier versions, because only the transfer's own row leads to them.
  const holders = [earlierFilesOf(transferId), transferId];
  const keys = new Set<string>();
  for (const holder of holders) for (const key of await listStorageKeys(db, holder)) keys.add(key);
  const waiting = keys.values();
  const removeNext = async () => {
    for (const key of waiting) await blobs.remove(key);
  };
  await Promise.all(Array.from({ length: REMOVALS_AT_ONCE }, removeNext));
  // The transfer's events still count in the owner's totals.
  await countRestOf(context, transferId);
  // Once `startRemoval` succeeded, a transfer stays in the deleting state, so nothing below belongs to a visible one.
  for (const holder of holders) await deletePartsOfTransfer(db, holder);
  await deleteEarlierFilesRow(db, earlierFilesOf(transferId));
  await transaction(db, async (trx) => {
    const deleted = await deleteDeletingTransfer(trx, transferId);
    if (deleted) await recordTransferFates({ ...context, db: trx }, 'data-removed', [deleted]);
  });
}

/**
 * From here on, the deletion cannot be undone. Also removes the draft of the transfer's next version. Returns false if
 * the deletion was undone, or still can be.
 */
async function startRemoval(context: FateContext, transferId: string): Promise<boolean> {
  const { db: trx, clock } = context;
  const now = clock.now();
  const isClosed = await closeUndo(trx, { transferId, now, latest: now + RESTORE_WINDOW_MS });
  if (isClosed) await releaseUnfinished(trx, transferId);
  const transfer = await findDeletingTransfer(trx, transferId);
  if (!transfer) return false;
  const { restorableUntil, updateDraftId } = transfer;
  if (restorableUntil !== null) await enqueueRemoval(trx, transferId, restorableUntil);
  else if (updateDraftId !== null) await removeTransfer(context, updateDraftId, { cause: 'aborted' });
  return restorableUntil === null;
}
