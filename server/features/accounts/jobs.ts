import { z } from 'zod';
import type { Context } from '../../context.ts';
import { removeEndedCounters } from '../../platform/http/rate-limits.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { removeUnverifiedAccounts } from './email/unverified-accounts.ts';
import { deleteExpiredRows } from './mailed-token-queries.ts';

/**
 * Expired rows count as absent already; this only makes room. While the clock is not trusted nothing is removed, so
 * that a clock that is set right again signs nobody out and resets no rate limit.
 */
const removeExpired = defineJob({
  name: 'accounts.remove-expired',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    const now = await context.clockGuard.findTrustedNow();
    if (now === undefined) return;
    await deleteExpiredRows(context.db, now);
    await removeEndedCounters(context);
  },
});

/** While the clock is not trusted nobody is too late. */
const removeUnverified = defineJob({
  name: 'accounts.remove-unverified',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context, _payload, { signal }) {
    const now = await context.clockGuard.findTrustedNow();
    if (now !== undefined) await removeUnverifiedAccounts(context, { now, signal });
  },
});

export const accountJobs = [removeExpired, removeUnverified];
