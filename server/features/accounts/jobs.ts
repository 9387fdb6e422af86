import { z } from 'zod';
import type { Context } from '../../context.ts';
import { removeEndedCounters } from '../../platform/http/rate-limits.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { SWEEP_INTERVAL_MS, takeLook } from '../../platform/jobs/sweep-look.ts';
import { mailResetLinkJob } from './password-resets.ts';
import { deleteExpiredRows } from './queries.ts';

/**
 * Rows past their time count as absent already; this only makes room. After the clock leapt a look removes
 * nothing: nobody is signed out, and no throttle forgets, for a clock that is set right again (fault 13).
 */
const removeExpired = defineJob({
  name: 'accounts.remove-expired',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    if (!(await takeLook(context, 'accounts'))) return;
    await deleteExpiredRows(context.db, context.clock.now());
    await removeEndedCounters(context);
  },
});

export const accountJobs = [removeExpired, mailResetLinkJob];
