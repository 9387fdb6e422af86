import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { enqueueLastDownloadNotice } from '../../notices/index.ts';
import { removeTransfer } from '../../transfers/index.ts';
import { lockTransfer } from './claim-queries.ts';
import {
  hasActiveDownloads,
  RESUME_TIME_MS,
  releaseAbandoned,
  sweepAbandonedDownloadsJob,
} from './returned-places.ts';

/** Interrupted downloads can be resumed for this long after the last one was claimed. */
const CLOSING_TIME_MS = HOUR_MS;
/** Downloads that still run may take this long. */
const READING_TIME_MS = DAY_MS;

type Deps = Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'log'>;

/** Removes an auto-delete transfer whose last downloads never finished, unless a returned place has reopened it. */
const removeUsedUpTransferJob = defineJob<Context, { transferId: string }>({
  name: 'remove-used-up-transfer',
  payload: z.object({ transferId: z.string() }),
  run: async (context, { transferId }, { signal }) => {
    await releaseAbandoned(context, { transferId, signal });
    await transaction(context.db, (trx) => removeOrReschedule(trx, context, transferId));
  },
});

/** Call it in the transaction that closes a transfer. */
export function scheduleRemoval(trx: Trx, transferId: string, closedAt: number): Promise<void> {
  return enqueueRemoval(trx, transferId, closedAt + CLOSING_TIME_MS);
}

export async function removeIfUsedUp(deps: Deps, transferId: string): Promise<void> {
  const transfer = await findClosedTransfer(deps.db, transferId);
  // Its sender is still uploading; the job removes it later.
  if (!transfer || transfer.status === 'arriving') return;
  if (await hasUnfinishedDownloads(deps.db, transferId)) return;
  await transaction(deps.db, (trx) => removeUsedUp(trx, deps, transferId));
}

/**
 * Restarts the full waiting time if the transfer was reopened and closed again. Waits for up to a day for downloads
 * that still run, or were interrupted so recently that they may be resumed, or returned, which would reopen the
 * transfer. And waits for the sender of an arriving transfer.
 */
async function removeOrReschedule(trx: Trx, deps: Deps, transferId: string): Promise<void> {
  const transfer = await findClosedTransfer(trx, transferId);
  if (!transfer) return;
  const { closedAt } = transfer;
  const now = deps.clock.now();
  if (transfer.status === 'arriving') return enqueueRemoval(trx, transferId, now + CLOSING_TIME_MS);
  const endsAt = closedAt + CLOSING_TIME_MS;
  if (now < endsAt) return enqueueRemoval(trx, transferId, endsAt);
  const latest = closedAt + READING_TIME_MS;
  if (now < latest && (await hasActiveDownloads(trx, transferId)))
    return enqueueRemoval(trx, transferId, Math.min(now + RESUME_TIME_MS, latest));
  await removeUsedUp(trx, deps, transferId);
}

async function removeUsedUp(trx: Trx, deps: Deps, transferId: string): Promise<void> {
  // A place returned meanwhile has reopened it.
  if (!(await lockTransfer(trx, transferId)) || !(await findClosedTransfer(trx, transferId))) return;
  await enqueueLastDownloadNotice(trx, deps, transferId);
  await removeTransfer({ ...deps, db: trx }, transferId, { cause: 'download-limit' });
}

function enqueueRemoval(trx: Trx, transferId: string, runAt: number): Promise<void> {
  return enqueue(trx, removeUsedUpTransferJob, { transferId }, { runAt, uniqueKey: transferId });
}

type ClosedTransfer = { closedAt: number; status: TransferRow['status'] };

async function findClosedTransfer(db: Db, transferId: string): Promise<ClosedTransfer | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select(['closedAt', 'status'])
    .where('id', '=', transferId)
    .executeTakeFirst();
  return row && row.closedAt !== null ? { ...row, closedAt: row.closedAt } : undefined;
}

async function hasUnfinishedDownloads(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('completedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export const downloadJobs = [removeUsedUpTransferJob, sweepAbandonedDownloadsJob];
