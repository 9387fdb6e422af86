import { z } from 'zod';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { storePastDays } from './dashboard/trends.ts';

const storeTrends = defineJob({
  name: 'admin.keep-trends',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    if ((await context.clockGuard.findTrustedNow()) !== undefined) await storePastDays(context);
  },
});

export const adminJobs = [storeTrends];
