import { setImmediate } from 'node:timers/promises';
import { ANALYTICS_DAYS } from '../../../../contracts/analytics.ts';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { JobRun } from '../../../platform/jobs/define-job.ts';
import { dayOf } from '../../../platform/lib/clock.ts';

/** Rows per statement; other writers wait for it. */
const BATCH = 500;

/**
 * Removes views and downloads that the daily totals include, and totals too old for any plan. Does nothing while the
 * clock isn't trusted.
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
    // SQLite calls are synchronous, so let other requests run between batches.
    while (!signal.aborted && (await removeSome()) > 0) await setImmediate();
  }
}

async function deleteCountedDownloads(db: Db, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('downloads')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('downloads')
        .select('id')
        .where('downloadedAt', '<', before)
        .where('countedAt', 'is not', null)
        .where((or) => or.or([or('completedAt', 'is', null), or('countedCompletedAt', 'is not', null)]))
        .orderBy('downloadedAt')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteCountedViews(db: Db, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('transferViews')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('transferViews')
        .select('id')
        .where('viewedAt', '<', before)
        .where('countedAt', 'is not', null)
        .orderBy('viewedAt')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteTransferTotals(db: Db, before: string, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('transferTotals')
    .where((eb) =>
      eb(
        eb.refTuple('transferId', 'dimension', 'day', 'value'),
        'in',
        eb
          .selectFrom('transferTotals')
          .select(['transferId', 'dimension', 'day', 'value'])
          .where('day', '<', before)
          .orderBy('day')
          .limit(limit)
          .$asTuple('transferId', 'dimension', 'day', 'value'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteUserTotals(db: Db, before: string, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('userTotals')
    .where((eb) =>
      eb(
        eb.refTuple('userId', 'dimension', 'day', 'value'),
        'in',
        eb
          .selectFrom('userTotals')
          .select(['userId', 'dimension', 'day', 'value'])
          .where('day', '<', before)
          .orderBy('day')
          .limit(limit)
          .$asTuple('userId', 'dimension', 'day', 'value'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
