import { z } from 'zod';
import type { Context } from '../../context.ts';
import { deleteExpiredRuns } from '../../platform/http/idempotency-queries.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { SWEEP_INTERVAL_MS, takeLook } from '../../platform/jobs/sweep-look.ts';

/** Answers kept for repeated requests go after their day; after a leap of the clock nothing goes (fault 13). */
const removeExpiredRuns = defineJob({
  name: 'api-keys.remove-expired-runs',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    if (await takeLook(context, 'api-keys')) await deleteExpiredRuns(context.db, context.clock.now());
  },
});

export const apiKeyJobs = [removeExpiredRuns];
