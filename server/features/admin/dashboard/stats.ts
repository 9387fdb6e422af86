import { setImmediate } from 'node:timers/promises';
import type { AdminStats } from '../../../../contracts/admin/stats.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { Instant, Tier } from '../../../platform/db/schema/column-types.ts';
import { computeMonthlyRevenueCents } from '../../billing/index.ts';
import { createMinuteCache } from '../minute-cache.ts';
import { startOfDay, sumReady } from './trends.ts';

const MANY = 50_000;
const SLICES = 20;
const RETENTION_MS = 90 * DAY_MS;
const ENDLESS = Number.MAX_SAFE_INTEGER;

type Sums = Pick<AdminStats, 'activeTransfers' | 'totalStorage'> & { areMany: boolean };

const cached = createMinuteCache<Sums>();

/** With 50,000 or more transfers, the active count and the storage are up to a minute old. */
export async function computeStats(context: Pick<Context, 'db' | 'clock' | 'payments'>): Promise<AdminStats> {
  const { db, clock } = context;
  const now = clock.now();
  const users = await countUsersByTier(db);
  const today = await sumReady(db, { from: startOfDay(now), until: ENDLESS });
  const sums = await getSums(context);
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

/** Returns bytes, up to a minute old with 50,000 or more transfers. */
export async function sumStorage(context: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return (await getSums(context)).totalStorage;
}

function getSums(context: Pick<Context, 'db' | 'clock'>): Promise<Sums> {
  const { db, clock } = context;
  return cached(context, () => computeSums(db, clock.now()), { isCacheable: ({ areMany }) => areMany });
}

/** Aggregates many transfers in time slices so that requests aren't blocked: SQLite runs in this thread. */
async function computeSums(db: Db, now: Instant): Promise<Sums> {
  const areMany = await hasTransfers(db, MANY);
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

function slicesOf(from: Instant, until: Instant, count: number): { from: Instant; until: Instant }[] {
  const length = Math.max(1, Math.ceil((until - from) / count));
  return Array.from({ length: count }, (_, index) => ({
    from: from + index * length,
    until: index === count - 1 ? ENDLESS : from + (index + 1) * length,
  }));
}

/** Counts all accounts from an index, then subtracts the few that are being removed. */
async function countUsersByTier(db: Db): Promise<Record<Tier, number>> {
  const counts: Record<Tier, number> = { free: 0, pro: 0, premium: 0 };
  const all = await db
    .selectFrom('users')
    .select(({ fn }) => ['tier', fn.countAll().as('count')])
    .groupBy('tier')
    .execute();
  for (const { tier, count } of all) counts[tier] += Number(count);
  // This comparison uses the index of `deletedAt` and skips nulls.
  const deleted = await db.selectFrom('users').select('tier').where('deletedAt', '>', 0).execute();
  for (const { tier } of deleted) counts[tier] -= 1;
  return counts;
}

async function hasTransfers(db: Db, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('transfers')
    .select('readyAt')
    .orderBy('readyAt')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function findFirstReady(db: Db): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('readyAt')
    .where('readyAt', '>', 0)
    .orderBy('readyAt')
    .limit(1)
    .executeTakeFirst();
  return row?.readyAt ?? undefined;
}

async function countEnding(db: Db, { after, until }: { after: Instant; until: Instant }): Promise<number> {
  const { count } = await db
    .selectFrom('transfers')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'ready')
    .where('expiresAt', '>', after)
    .where('expiresAt', '<=', until)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Bytes of drafts and arriving transfers minus those of ready transfers being deleted. Both are few rows. */
async function sumExceptions(db: Db): Promise<number> {
  const rows = await db
    .selectFrom('transfers')
    .select(({ fn }) => ['status', fn.sum('totalBytes').as('bytes')])
    .where((eb) =>
      eb.or([
        eb('status', 'in', ['draft', 'arriving']),
        eb.and([eb('status', '=', 'deleting'), eb('readyAt', 'is not', null)]),
      ]),
    )
    .groupBy('status')
    .execute();
  return rows.reduce(
    (sum, { status, bytes }) => sum + (status === 'deleting' ? -1 : 1) * Number(bytes ?? 0),
    0,
  );
}
