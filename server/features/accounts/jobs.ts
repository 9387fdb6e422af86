import { z } from 'zod';
import type { Context } from '../../context.ts';
import { removeEndedCounters } from '../../platform/http/rate-limits.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import { deleteExpiredRows } from './queries.ts';

/** Rows past their time count as absent already; this only makes room. */
const removeExpired = defineJob({
  name: 'accounts.remove-expired',
  payload: z.object({}),
  every: HOUR_MS,
  async run({ db, clock }: Context) {
    await deleteExpiredRows(db, clock.now());
    await removeEndedCounters({ db, clock });
  },
});

export const accountJobs = [removeExpired];
