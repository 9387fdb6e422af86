import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { tellOfLastDownloads } from '../notices/activity.ts';
import { removeTransfer } from '../transfers/deletion.ts';
import {
  addToFileCount,
  completeDownloadRow,
  deleteDownload,
  hasRunningDownloads,
  insertDownload,
  isClosed,
  returnDownload,
  takeDownload,
} from './queries.ts';
import { markDownloaded } from './recipient-queries.ts';
import type { Downloaded } from './tickets.ts';

/** How long the downloads that run when an auto-delete transfer closes may take to end. */
const CLOSING_TIME_MS = HOUR_MS;

export type Visitor = {
  ipAddress: string | null;
  userAgent: string | null;
  /** Whose own link was used, if any. */
  recipientId: string | null;
};

/** Removes an auto-delete transfer whose last downloads never ended. Not if a download was given back since. */
export const removeUsedUpTransferJob = defineJob<Context, { transferId: string }>({
  name: 'remove-used-up-transfer',
  payload: z.object({ transferId: z.string() }),
  run: async (context, { transferId }) => {
    await transaction(context.db, async (trx) => {
      if (await isClosed(trx, transferId)) await removeUsedUp(trx, context, transferId);
    });
    context.wakeWorker();
  },
});

/**
 * Counts one download before its first byte; N at once at limit M give exactly min(N, M) claims. With
 * auto-delete the last one closes the transfer to new downloads. Returns the id of the download.
 * Throws AppError `transfer_used_up`.
 */
export function claimDownload(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { transferId, fileId }: Downloaded,
  visitor: Visitor,
): Promise<string> {
  const downloadId = randomId();
  const now = clock.now();
  return transaction(db, async (trx) => {
    const taken = await takeDownload(trx, { transferId, isZip: fileId === null, now });
    // Deleted or expired since the gate was passed is used up just as well.
    if (!taken) throw new AppError('transfer_used_up');
    await insertDownload(trx, { id: downloadId, transferId, fileId, downloadedAt: now, ...visitor });
    if (fileId !== null) await addToFileCount(trx, fileId, 1);
    if (taken.closedAt !== null) await enqueueRemoval(trx, transferId, taken.closedAt + CLOSING_TIME_MS);
    return downloadId;
  });
}

/** Takes a claim back when the storage failed before the head of the answer was sent. */
export function giveBackDownload(
  { db }: Pick<Context, 'db'>,
  { transferId, fileId }: Downloaded,
  downloadId: string,
): Promise<void> {
  return transaction(db, async (trx) => {
    await returnDownload(trx, { transferId, isZip: fileId === null });
    await deleteDownload(trx, downloadId);
    if (fileId !== null) await addToFileCount(trx, fileId, -1);
  });
}

/** Notes that all of a download was sent, and by whom; a closed transfer goes with the last of them. */
export async function completeDownload(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'wakeWorker'>,
  downloadId: string,
): Promise<void> {
  const { db, clock, wakeWorker } = context;
  // A commit of its own: of two that end at once, at least one then sees the other's end.
  const now = clock.now();
  const completed = await completeDownloadRow(db, { downloadId, now });
  if (!completed) return;
  const { transferId, recipientId } = completed;
  if (recipientId !== null) await markDownloaded(db, { recipientId, now });
  if (!(await isClosed(db, transferId))) return;
  if (await hasRunningDownloads(db, transferId)) return;
  await transaction(db, (trx) => removeUsedUp(trx, context, transferId));
  wakeWorker();
}

/** The owner hears of the last downloads in the commit that takes them away. */
async function removeUsedUp(
  trx: Trx,
  deps: Pick<Context, 'clock' | 'config' | 'secret'>,
  transferId: string,
): Promise<void> {
  await tellOfLastDownloads(trx, deps, transferId);
  await removeTransfer(trx, transferId);
}

function enqueueRemoval(trx: Trx, transferId: string, runAt: number): Promise<void> {
  return enqueue(trx, removeUsedUpTransferJob, { transferId }, { runAt, uniqueKey: transferId });
}
