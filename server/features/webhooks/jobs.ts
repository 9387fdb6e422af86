import { z } from 'zod';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { deliverJob } from './delivery/delivery.ts';
import { sweepDeliveries } from './delivery/delivery-log.ts';
import { resealJob } from './secrets.ts';

const sweep = defineJob<Context, object>({
  name: 'webhooks.sweep-deliveries',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: (context, _payload, run) => sweepDeliveries(context, run),
});

export const webhookJobs = [deliverJob, sweep, resealJob];
