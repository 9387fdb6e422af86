import { z } from 'zod';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { HOUR_MS } from '../../platform/lib/clock.ts';
import { sweepDeliveries } from './deliveries.ts';
import { deliverJob } from './delivering.ts';
import { resealSecrets } from './secrets.ts';

const sweep = defineJob<Context, object>({
  name: 'webhooks.sweep-deliveries',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  run: (context, _payload, run) => sweepDeliveries(context, run),
});

/** Does nothing unless the operator has given the secret before the present one. */
const reseal = defineJob<Context, object>({
  name: 'webhooks.reseal-secrets',
  payload: z.object({}),
  every: HOUR_MS,
  async run(context, _payload, { signal }) {
    const webhooks = await resealSecrets(context, signal);
    if (webhooks > 0)
      context.log.info({ webhooks }, 'secrets of webhooks are sealed with the new SESSION_SECRET now');
  },
});

export const webhookJobs = [deliverJob, sweep, reseal];
