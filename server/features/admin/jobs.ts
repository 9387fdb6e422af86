import { z } from 'zod';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { fillSearchIndex } from '../../platform/db/search/fill-search-index.ts';
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

const fillSearchIndexJob = defineJob({
  name: 'fill-search-index',
  payload: z.object({}),
  every: MINUTE_MS,
  oneAtATime: true,
  run: ({ db }: Context, _payload, { signal }) => fillSearchIndex(db, signal),
});

export const adminJobs = [storeTrends, fillSearchIndexJob];
