import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { removeUsedUpTransferJob } from './closing.ts';
import { sweepAbandonedDownloads } from './giving-back.ts';

const sweepAbandonedDownloadsJob = defineJob<Context, object>({
  name: 'sweep-abandoned-downloads',
  payload: z.object({}),
  every: MINUTE_MS,
  run: (context, _payload, run) => sweepAbandonedDownloads(context, run),
});

export const downloadJobs = [removeUsedUpTransferJob, sweepAbandonedDownloadsJob];
