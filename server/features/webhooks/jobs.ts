import { z } from 'zod';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { deliverJob } from './delivery.ts';
import { sweepDeliveries } from './delivery-log.ts';
import { resealSecrets } from './secrets.ts';

const sweep = defineJob<Context, object>({
  name: 'webhooks.sweep-deliveries',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: (context, _payload, run) => sweepDeliveries(context, run),
});

/** Does nothing unless the previous SESSION_SECRET is configured. */
const reseal = defineJob<Context, object>({
  name: 'webhooks.reseal-secrets',
  payload: z.object({}),
  every: HOUR_MS,
  async run(context, _payload, { signal }) {
    const webhooks = await resealSecrets(context, signal);
    if (webhooks > 0) context.log.info({ webhooks }, 'Resealed webhook secrets with the new SESSION_SECRET.');
  },
});

export const webhookJobs = [deliverJob, sweep, reseal];
