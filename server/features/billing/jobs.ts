import { z } from 'zod';
import type { Context } from '../../context.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { endJob } from './end-subscription.ts';
import { syncPayerJob } from './payment-events.ts';
import { remindOfPeriodEnds } from './reminders.ts';
import { sweepSubscriptions } from './sweep.ts';
import { syncJob } from './sync.ts';

const sweepJob = defineJob<Context, object>({
  name: 'sweep-subscriptions',
  payload: z.object({}),
  every: 10 * MINUTE_MS,
  oneAtATime: true,
  run: (context, _payload, run) => sweepSubscriptions(context, run),
});

const remindJob = defineJob<Context, object>({
  name: 'remind-of-period-ends',
  payload: z.object({}),
  every: HOUR_MS,
  run: (context, _payload, run) => remindOfPeriodEnds(context, run),
});

export const billingJobs = [syncJob, syncPayerJob, endJob, sweepJob, remindJob];
