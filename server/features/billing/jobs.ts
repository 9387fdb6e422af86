import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { remindOfPeriodEnds } from './reminders.ts';
import { endJob } from './subscription/end-subscription.ts';
import { syncPayerJob } from './sync/payment-events.ts';
import { sweepSubscriptions } from './sync/sweep.ts';
import { syncJob } from './sync/sync.ts';

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
