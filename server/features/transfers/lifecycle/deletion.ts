import { z } from 'zod';
import type { FateCause } from '../../../../contracts/admin/lookup.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { dropMailsOfTransfer } from '../../../platform/mail/outbox.ts';
import { countRestOf } from '../../analytics/index.ts';
import { releaseUnfinished } from '../limits/usage.ts';
import {
  deleteDeletingTransfer,
  deletePartsOfTransfer,
  isDeleting,
  listStorageKeys,
  markDeleting,
} from '../queries.ts';
import { type FateContext, recordTransferFates } from './fates.ts';

/** On S3 each removal is a round trip. */
const REMOVALS_AT_ONCE = 8;

/** Removes the bytes before the row, because the row is needed to find them. Idempotent. */
export const removeTransferDataJob = defineJob<Context, { transferId: string }>({
  name: 'remove-transfer-data',
  payload: z.object({ transferId: z.string() }),
  removesBytes: true,
  run: removeTransferData,
});

/** A job removes the bytes. Returns false if already deleted or if the expiry is not before `expiredBefore`. */
export async function removeTransfer(
  context: FateContext,
  transferId: string,
  { cause, expiredBefore }: { cause: FateCause; expiredBefore?: number },
): Promise<boolean> {
  const { db: trx } = context;
  const transfer = await markDeleting(trx, { transferId, expiredBefore });
  if (!transfer) return false;
  await recordTransferFates(context, cause, [transfer]);
  await releaseUnfinished(trx, transferId);
  await dropMailsOfTransfer(trx, transferId);
  await enqueueRemoval(trx, transferId);
  return true;
}

export function enqueueRemoval(trx: Trx, transferId: string): Promise<void> {
  return enqueue(trx, removeTransferDataJob, { transferId }, { uniqueKey: transferId });
}

async function removeTransferData(context: Context, { transferId }: { transferId: string }): Promise<void> {
  const { db, blobs } = context;
  if (!(await isDeleting(db, transferId))) return;
  const keys = (await listStorageKeys(db, transferId)).values();
  const removeNext = async () => {
    for (const key of keys) await blobs.remove(key);
  };
  await Promise.all(Array.from({ length: REMOVALS_AT_ONCE }, removeNext));
  // The transfer's events still count in the owner's totals.
  await countRestOf(context, transferId);
  // A transfer never leaves the deleting state, so nothing deleted below belongs to a visible transfer.
  await deletePartsOfTransfer(db, transferId);
  await transaction(db, async (trx) => {
    const deleted = await deleteDeletingTransfer(trx, transferId);
    if (deleted) await recordTransferFates({ ...context, db: trx }, 'data-removed', [deleted]);
  });
}
