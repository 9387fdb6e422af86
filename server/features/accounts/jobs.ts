import { z } from 'zod';
import type { Context } from '../../context.ts';
import { deleteEndedCounters } from '../../platform/http/limits/rate-limits.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { removeUnverifiedAccounts } from './email/unverified-accounts.ts';
import { deleteExpiredRows } from './mailed-token-queries.ts';

/**
 * Expired rows already count as absent; deleting them frees space. Nothing is deleted while the clock is not
 * trusted, so that a corrected clock signs nobody out and resets no rate limit.
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

/** While the clock is not trusted, no account counts as abandoned. */
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
