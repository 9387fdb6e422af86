import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../../platform/jobs/define-job.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { becomeReadyIfComplete, listArrivals, lockOwnTransfer, markStopped } from '../../transfers/index.ts';
import { findOwner } from '../core/queries.ts';
import { enqueueReadyJobs } from '../core/ready-jobs.ts';

/** The link of an arriving transfer is closed after this long without a byte. */
const STOPPED_AFTER_MS = 2 * DAY_MS;
const BATCH = 200;

/**
 * Closes the links of arriving transfers that have received no bytes for two days. Also makes those ready whose last
 * file was completed by a process of the previous release, which does not know arriving transfers.
 */
export const settleArrivalsJob = defineJob<Context, object>({
  name: 'settle-arrivals',
  payload: z.object({}),
  every: 10 * MINUTE_MS,
  run: settleArrivals,
});

async function settleArrivals(context: Context, _payload: object, { signal }: JobRun): Promise<void> {
  const now = await context.clockGuard.findTrustedNow();
  for (let afterId = ''; !signal.aborted; ) {
    const arrivals = await listArrivals(context.db, { afterId, limit: BATCH });
    for (const arrival of arrivals)
      await settle(context, arrival, now).catch((error: unknown) => {
        if (!isAppError(error, 'transfer_not_found')) throw error;
      });
    if (arrivals.length < BATCH) return;
    afterId = arrivals.at(-1)!.id;
  }
}

type Arrival = Awaited<ReturnType<typeof listArrivals>>[number];

async function settle(
  context: Context,
  { id, userId, fileCount, expectedFiles }: Arrival,
  now: number | undefined,
): Promise<void> {
  const { db } = context;
  if (fileCount >= (expectedFiles ?? Number.POSITIVE_INFINITY)) {
    await transaction(db, async (trx) => {
      const transfer = await lockOwnTransfer(trx, userId, id);
      if (!(await becomeReadyIfComplete(trx, context, id))) return;
      await enqueueReadyJobs(trx, {
        owner: await findOwner(trx, userId),
        transfer,
        now: context.clock.now(),
      });
    });
    return;
  }
  if (now === undefined) return;
  const idleSince = now - STOPPED_AFTER_MS;
  await transaction(db, (trx) => markStopped(trx, { transferId: id, idleSince, now }));
}
