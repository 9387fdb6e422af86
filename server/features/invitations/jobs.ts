import { z } from 'zod';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { sendReceiptJob } from './mails/receipts.ts';
import { deleteVisitsBefore } from './visits/visit-queries.ts';

/** Longer than a code and its grant can last together. */
const VISITS_KEPT_MS = RETENTION.visitDays * DAY_MS;

/** Visits contain email addresses. Does nothing while the clock is untrusted. */
const removeOldVisits = defineJob<Context, object>({
  name: 'invitations.remove-old-visits',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context) {
    const now = await context.clockGuard.findTrustedNow();
    if (now !== undefined) await deleteVisitsBefore(context.db, now - VISITS_KEPT_MS);
  },
});

export const invitationJobs = [sendReceiptJob, removeOldVisits];
