import { z } from 'zod';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { checkFilesJob, enqueueForgottenChecks } from './checking.ts';

const checkForgottenFilesJob = defineJob<Context, object>({
  name: 'check-forgotten-files',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: enqueueForgottenChecks,
});

export const checksumJobs = [checkFilesJob, checkForgottenFilesJob];
