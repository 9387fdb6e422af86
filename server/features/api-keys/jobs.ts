import { z } from 'zod';
import type { Context } from '../../context.ts';
import { deleteExpiredRuns } from '../../platform/http/routing/idempotency.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';

/** Deletes stored responses of idempotent requests after a day, but only while the clock is trusted. */
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
