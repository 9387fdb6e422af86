import { z } from 'zod';
import type { Context } from '../../context.ts';
import { deleteExpiredRuns } from '../../platform/http/idempotency-queries.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';

/** Answers kept for repeated requests go after their day; nothing goes while the clock is not trusted. */
const removeExpiredRuns = defineJob({
  name: 'api-keys.remove-expired-runs',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    const now = await context.clockGuard.findTrustedNow();
    if (now !== undefined) await deleteExpiredRuns(context.db, now);
  },
});

export const apiKeyJobs = [removeExpiredRuns];
