import { z } from 'zod';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { removeSealedBlobJob } from './encryption/sealed-documents.ts';
import { removeTransferDataJob } from './lifecycle/deletion.ts';
import { sweepExpiredTransfers } from './lifecycle/expiry.ts';
import { sweepFatesJob } from './lifecycle/fates.ts';
import { measureZipJob } from './zip-plans.ts';

const sweepExpiredTransfersJob = defineJob<Context, object>({
  name: 'sweep-expired-transfers',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: sweepExpiredTransfers,
});

export const transferJobs = [
  removeTransferDataJob,
  removeSealedBlobJob,
  sweepExpiredTransfersJob,
  measureZipJob,
  sweepFatesJob,
];
