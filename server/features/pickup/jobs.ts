import { z } from 'zod';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { deletePickupCodesBefore } from './queries.ts';

const sweep = defineJob<Context, object>({
  name: 'pickup.sweep-codes',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run({ db, clockGuard }) {
    const now = await clockGuard.findTrustedNow();
    if (now !== undefined) await deletePickupCodesBefore(db, now);
  },
});

export const pickupJobs = [sweep];
