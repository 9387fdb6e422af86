import { z } from 'zod';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { applyContentRuleJob } from './content-rules.ts';
import { retryUnscanned, scanFilesJob } from './scan-files.ts';

const retryUnscannedJob = defineJob<Context, object>({
  name: 'retry-unscanned',
  payload: z.object({}),
  every: 10 * MINUTE_MS,
  run: retryUnscanned,
});

export const scanningJobs = [scanFilesJob, retryUnscannedJob, applyContentRuleJob];
