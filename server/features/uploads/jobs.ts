import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/sweep-look.ts';
import { removeReplacedBlobJob } from './repairs.ts';
import { sweepUploads } from './sweeping.ts';

const sweepUploadsJob = defineJob<Context, object>({
  name: 'sweep-uploads',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: sweepUploads,
});

export const uploadJobs = [sweepUploadsJob, removeReplacedBlobJob];
