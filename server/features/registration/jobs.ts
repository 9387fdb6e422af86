import { z } from 'zod';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { deleteInvitationsExpiredBefore } from './queries.ts';

const KEPT_MS = RETENTION.expiredAccountInvitationDays * DAY_MS;

/** Invitations contain email addresses, so they are deleted some time after they have expired. */
const removeInvitations = defineJob({
  name: 'registration.remove-invitations',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run({ db, clockGuard }: Context) {
    const now = await clockGuard.findTrustedNow();
    if (now !== undefined) await deleteInvitationsExpiredBefore(db, now - KEPT_MS);
  },
});

export const registrationJobs = [removeInvitations];
