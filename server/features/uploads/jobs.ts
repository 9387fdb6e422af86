import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { ensurePeriodicJob } from '../../platform/jobs/queue.ts';
import { sweepUploads } from './sweeping.ts';

const sweepUploadsJob = defineJob<Context, object>({
  name: 'sweep-uploads',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: sweepUploads,
});

/** Has the sweep run at once; call `wakeWorker` after the transaction. */
export function enqueueSweep(trx: Trx, now: Instant): Promise<void> {
  return ensurePeriodicJob(trx, sweepUploadsJob.name, { runAt: now, latest: now, now });
}

export const uploadJobs = [sweepUploadsJob];
