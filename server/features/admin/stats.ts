import { setImmediate } from 'node:timers/promises';
import type { AdminStats } from '../../../contracts/admin/stats.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { computeMonthlyRevenueCents } from '../billing/index.ts';
import { createMemory } from './memory.ts';
import {
  areThereTransfers,
  countEnding,
  countUsersByTier,
  findFirstReady,
  sumExceptions,
} from './stats-queries.ts';
import { sumReady } from './trend-queries.ts';
import { startOfDay } from './trends.ts';

/** From so many transfers on their sums are remembered. */
const MANY = 50_000;
const SLICES = 20;
/** Hardly a transfer lives longer. */
const RETENTION_MS = 90 * DAY_MS;
const ENDLESS = Number.MAX_SAFE_INTEGER;

type Sums = Pick<AdminStats, 'activeTransfers' | 'totalStorage'> & { areMany: boolean };

const remembered = createMemory<Sums>();

/** The seven numbers. With 50,000 transfers and more, what is active and stored is up to a minute old. */
export async function computeStats(context: Pick<Context, 'db' | 'clock' | 'payments'>): Promise<AdminStats> {
  const { db, clock } = context;
  const now = clock.now();
  const users = await countUsersByTier(db);
  const today = await sumReady(db, { from: startOfDay(now), until: ENDLESS });
  const sums = await addUpRemembering(context);
  return {
    totalUsers: users.free + users.pro + users.premium,
    activeTransfers: sums.activeTransfers,
    totalStorage: sums.totalStorage,
    transfersToday: today.count,
    proUsers: users.pro,
    premiumUsers: users.premium,
    monthlyRevenue: await computeMonthlyRevenueCents(context),
  };
}

/** Bytes of the files of all transfers; of 50,000 transfers and more, up to a minute old. */
export async function sumStorage(context: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return (await addUpRemembering(context)).totalStorage;
}

function addUpRemembering(context: Pick<Context, 'db' | 'clock'>): Promise<Sums> {
  const { db, clock } = context;
  return remembered(context, () => addUp(db, clock.now()), { isWorthIt: ({ areMany }) => areMany });
}

/** Of many transfers in slices of time, so that nobody else waits for the whole: SQLite works in this thread. */
async function addUp(db: Db, now: Instant): Promise<Sums> {
  const areMany = await areThereTransfers(db, MANY);
  const count = areMany ? SLICES : 1;
  let activeTransfers = 0;
  for (const { from, until } of slicesOf(now, now + RETENTION_MS, count)) {
    activeTransfers += await countEnding(db, { after: from, until });
    await setImmediate();
  }
  let totalStorage = await sumExceptions(db);
  const first = (await findFirstReady(db)) ?? now;
  for (const time of slicesOf(first, now, count)) {
    totalStorage += (await sumReady(db, time)).bytes;
    await setImmediate();
  }
  return { activeTransfers, totalStorage, areMany };
}

/** A time in equal parts; the last one has no end. */
function slicesOf(from: Instant, until: Instant, count: number): { from: Instant; until: Instant }[] {
  const length = Math.max(1, Math.ceil((until - from) / count));
  return Array.from({ length: count }, (_, index) => ({
    from: from + index * length,
    until: index === count - 1 ? ENDLESS : from + (index + 1) * length,
  }));
}
