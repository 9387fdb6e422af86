import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import { tellOfLastDownloads } from '../notices/index.ts';
import { removeTransfer } from '../transfers/index.ts';
import { findClosedAt, hasUnfinishedDownloads } from './closing-queries.ts';
import { giveBackAbandoned, RESUME_TIME_MS } from './giving-back.ts';
import { hasReturnableDownloads } from './giving-back-queries.ts';

/** How long the downloads that run when an auto-delete transfer closes may take to end. */
const CLOSING_TIME_MS = HOUR_MS;

type Deps = Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'log'>;

/** Removes an auto-delete transfer whose last downloads never ended. Not if a download was given back since. */
export const removeUsedUpTransferJob = defineJob<Context, { transferId: string }>({
  name: 'remove-used-up-transfer',
  payload: z.object({ transferId: z.string() }),
  run: async (context, { transferId }, { signal }) => {
    await giveBackAbandoned(context, { transferId, signal });
    await transaction(context.db, (trx) => removeInTime(trx, context, transferId));
  },
});

/** To be called in the commit that closes a transfer. */
export function enqueueClosingEnd(trx: Trx, transferId: string, closedAt: number): Promise<void> {
  return enqueueRemoval(trx, transferId, closedAt + CLOSING_TIME_MS);
}

/** A closed transfer goes with the last of its downloads. */
export async function removeIfUsedUp(deps: Deps, transferId: string): Promise<void> {
  if ((await findClosedAt(deps.db, transferId)) === null) return;
  if (await hasUnfinishedDownloads(deps.db, transferId)) return;
  await transaction(deps.db, (trx) => removeUsedUp(trx, deps, transferId));
}

/**
 * A transfer that was closed, opened again by a download given back, and closed once more has its full time.
 * A download that was broken off just before the end of it still has its minutes to be gone on with or given
 * back, because that opens the transfer again.
 */
async function removeInTime(trx: Trx, deps: Deps, transferId: string): Promise<void> {
  const closedAt = await findClosedAt(trx, transferId);
  if (closedAt === null) return;
  const now = deps.clock.now();
  const endsAt = closedAt + CLOSING_TIME_MS;
  if (now < endsAt) return enqueueRemoval(trx, transferId, endsAt);
  const latest = endsAt + RESUME_TIME_MS;
  if (now < latest && (await hasReturnableDownloads(trx, transferId)))
    return enqueueRemoval(trx, transferId, latest);
  await removeUsedUp(trx, deps, transferId);
}

/** The owner hears of the last downloads in the commit that takes them away. */
async function removeUsedUp(trx: Trx, deps: Deps, transferId: string): Promise<void> {
  await tellOfLastDownloads(trx, deps, transferId);
  await removeTransfer({ ...deps, db: trx }, transferId, { cause: 'download-limit' });
}

function enqueueRemoval(trx: Trx, transferId: string, runAt: number): Promise<void> {
  return enqueue(trx, removeUsedUpTransferJob, { transferId }, { runAt, uniqueKey: transferId });
}
