import { z } from 'zod';
import { AdminTrends } from '../../../contracts/admin/stats.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { SWEEP_INTERVAL_MS } from '../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { DAY_MS, dayOf } from '../../platform/lib/clock.ts';
import {
  countDownloads,
  countNewUsers,
  deleteKeptDays,
  insertKeptDay,
  selectKeptDays,
  sumReady,
} from './trend-queries.ts';

const DAYS = 30;

type Day = AdminTrends[number];

/**
 * The last 30 days in UTC, the oldest first. Days that are over are kept once, so that they stay what they were
 * when transfers are deleted, and cost nothing however many there are; what is not kept yet is counted.
 */
export async function computeTrends({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<AdminTrends> {
  const days = lastDays(clock.now());
  const kept = await selectKeptDays(db, dayOf(days[0]!));
  return Promise.all(
    days.map(async (start) => {
      const value = kept.get(dayOf(start));
      return value === undefined ? countDay(db, start) : Day.parse(JSON.parse(value));
    }),
  );
}

const Day = AdminTrends.element;

/** Keeps what happened on the days that are over; looks again every hour. */
export const keepTrends = defineJob({
  name: 'admin.keep-trends',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run(context: Context) {
    if ((await context.clockGuard.findTrustedNow()) !== undefined) await keepDays(context);
  },
});

/** Counts each day that is over and not kept yet, and keeps it. */
export async function keepDays({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  const days = lastDays(now);
  const kept = await selectKeptDays(db, '');
  for (const start of days.slice(0, -1)) {
    const day = dayOf(start);
    if (kept.has(day)) continue;
    await insertKeptDay(db, { day, value: JSON.stringify(await countDay(db, start)), at: now });
  }
  const [oldest, today] = [dayOf(days[0]!), dayOf(now)];
  await deleteKeptDays(
    db,
    [...kept.keys()].filter((day) => day < oldest || day >= today),
  );
}

/** When each began, today last. */
function lastDays(now: Instant): Instant[] {
  const today = startOfDay(now);
  return Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY_MS);
}

/** Midnight, UTC. */
export function startOfDay(now: Instant): Instant {
  return now - (((now % DAY_MS) + DAY_MS) % DAY_MS);
}

async function countDay(db: Db, from: Instant): Promise<Day> {
  const time = { from, until: from + DAY_MS };
  const [newUsers, ready, downloads] = await Promise.all([
    countNewUsers(db, time),
    sumReady(db, time),
    countDownloads(db, time),
  ]);
  return { date: dayOf(from), newUsers, newTransfers: ready.count, uploadedBytes: ready.bytes, downloads };
}
