import { z } from 'zod';
import type { Context } from '../../context.ts';
import { removeEndedCounters } from '../../platform/http/rate-limits.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { mailResetLinkJob } from './password-resets.ts';
import { deleteExpiredRows } from './queries.ts';

/**
 * Rows past their time count as absent already; this only makes room. While the clock is not trusted nothing goes:
 * nobody is signed out, and no throttle forgets, for a clock that is set right again.
 */
const removeExpired = defineJob({
  name: 'accounts.remove-expired',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    const now = await context.clockGuard.findTrustedNow();
    if (now === undefined) return;
    await deleteExpiredRows(context.db, now);
    await removeEndedCounters(context);
  },
});

export const accountJobs = [removeExpired, mailResetLinkJob];
