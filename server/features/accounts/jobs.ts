import { z } from 'zod';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import { deleteEndedCounters } from '../../platform/http/limits/rate-limits.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { defineResealJob } from '../../platform/jobs/reseal-job.ts';
import { removeUnverifiedAccounts } from './email/unverified-accounts.ts';
import { deleteEventsBefore } from './events/queries.ts';
import { SEALED_TOTP_SECRET } from './factors/totp.ts';
import { deleteExpiredRows } from './mailed-token-queries.ts';
import { mailSignInLinkJob } from './sign-in/link.ts';
import { recheckDomains } from './single-sign-on/providers/domains.ts';
import { SEALED_CLIENT_SECRET } from './single-sign-on/providers/providers.ts';

/**
 * Frees space; expired rows already count as absent. Waits while the clock is not trusted, so that correcting the
 * clock ends no session and resets no rate limit.
 */
const removeExpired = defineJob({
  name: 'accounts.remove-expired',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    const now = await context.clockGuard.findTrustedNow();
    if (now === undefined) return;
    await deleteExpiredRows(context.db, now);
    await deleteEndedCounters(context);
  },
});

const removeUnverified = defineJob({
  name: 'accounts.remove-unverified',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context, _payload, { signal }) {
    const now = await context.clockGuard.findTrustedNow();
    if (now !== undefined) await removeUnverifiedAccounts(context, { now, signal });
  },
});

const removeOldEvents = defineJob({
  name: 'accounts.remove-old-events',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run({ db, clockGuard }: Context) {
    const now = await clockGuard.findTrustedNow();
    if (now !== undefined) await deleteEventsBefore(db, now - RETENTION.accountEventDays * DAY_MS);
  },
});

const recheckProvedDomains = defineJob({
  name: 'accounts.recheck-domains',
  payload: z.object({}),
  every: DAY_MS,
  run: (context: Context, _payload, { signal }) => recheckDomains(context, signal),
});

const reseal = defineResealJob('accounts.reseal-secrets', [SEALED_TOTP_SECRET, SEALED_CLIENT_SECRET]);

export const accountJobs = [
  recheckProvedDomains,
  removeExpired,
  removeUnverified,
  removeOldEvents,
  mailSignInLinkJob,
  reseal,
];
