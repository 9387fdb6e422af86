import { z } from 'zod';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { countAll } from './totals/count-events.ts';
import { removeOldLogs } from './totals/retention.ts';

const count = defineJob({
  name: 'analytics.count',
  payload: z.object({}),
  every: MINUTE_MS,
  run: (context: Context, _payload, run) => countAll(context, run),
});

const removeOld = defineJob({
  name: 'analytics.remove-old',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: (context: Context, _payload, run) => removeOldLogs(context, run),
});

export const analyticsJobs = [count, removeOld];
