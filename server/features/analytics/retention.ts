import { setImmediate } from 'node:timers/promises';
import { ANALYTICS_DAYS } from '../../../contracts/analytics.ts';
import { RETENTION } from '../../../contracts/transfers/retention.ts';
import type { Context } from '../../context.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { DAY_MS, dayOf } from '../../platform/lib/clock.ts';
import {
  deleteCountedDownloads,
  deleteCountedViews,
  deleteTransferTotals,
  deleteUserTotals,
} from './retention-queries.ts';

/** Rows that one statement removes: while it runs everybody else waits for the database. */
const BATCH = 500;

/**
 * Removes old views and downloads once the daily totals include them, and totals of days that no plan shows. Removes
 * nothing while the clock is not trusted.
 */
export async function removeOldLogs(
  context: Pick<Context, 'db' | 'clockGuard'>,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const { db, clockGuard } = context;
  const now = await clockGuard.findTrustedNow();
  if (now === undefined) return;
  const logsBefore = now - RETENTION.accessLogDays * DAY_MS;
  const totalsBefore = dayOf(now - ANALYTICS_DAYS.premium * DAY_MS);
  const steps = [
    () => deleteCountedDownloads(db, logsBefore, BATCH),
    () => deleteCountedViews(db, logsBefore, BATCH),
    () => deleteTransferTotals(db, totalsBefore, BATCH),
    () => deleteUserTotals(db, totalsBefore, BATCH),
  ];
  for (const removeSome of steps) {
    // On SQLite nothing waits for the world outside: without the pause, requests would wait for all batches.
    while (!signal.aborted && (await removeSome()) > 0) await setImmediate();
  }
}
