import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import { fillPlaceholders } from '../../../../contracts/values/placeholders.ts';
import type { Db } from '../../db/open.ts';
import { deleteInBatches } from '../../db/queries/batches.ts';
import { msg } from '../../language/marker.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';

export type RateLimit = {
  /** Such as 'login:frida:203.0.113.7'. */
  key: string;
  limit: number;
  windowMs: number;
  cost?: number;
};

type Refusal = {
  remaining: number;
  waitMs: number;
};

type Deps = { db: Db; clock: Clock; config: { rateLimit: boolean } };

/**
 * Counts an attempt before it is evaluated, in one statement; inside a transaction it counts only on commit.
 * Counters survive restarts. Attempts beyond the limit are not counted. Throws AppError `too_many_requests`.
 */
export async function requireWithinLimit(deps: Deps, rateLimit: RateLimit): Promise<void> {
  const refusal = await claimWithinLimit(deps, rateLimit);
  if (refusal) throw tooManyRequests(refusal.waitMs);
}

/** Returns the refusal; undefined if the attempt was counted. */
export async function claimWithinLimit(
  { db, clock, config }: Deps,
  { key, limit, windowMs, cost = 1 }: RateLimit,
): Promise<Refusal | undefined> {
  if (!config.rateLimit || cost === 0) return undefined;
  const now = clock.now();
  const costs = new Map([[key, cost]]);
  if (cost <= limit && (await countUpTo(db, { costs, limit, now, windowMs })).length === 1) return undefined;
  const counter = await findCounter(db, key, now);
  return {
    remaining: Math.max(0, limit - (counter?.count ?? 0)),
    waitMs: counter ? counter.windowEndsAt - now : windowMs,
  };
}

/**
 * Counts several keys, each with its own cost, in one statement. Returns the first refused key and how long
 * to wait. The caller must roll back then, because other keys may have been counted.
 */
export async function claimAllWithinLimit(
  { db, clock, config }: Deps,
  { costs, limit, windowMs }: Omit<RateLimit, 'key' | 'cost'> & { costs: ReadonlyMap<string, number> },
): Promise<{ key: string; waitMs: number } | undefined> {
  if (!config.rateLimit || costs.size === 0) return undefined;
  const now = clock.now();
  const fitting = new Map([...costs].filter(([, cost]) => cost <= limit));
  const counted = await countUpTo(db, { costs: fitting, limit, now, windowMs });
  const granted = new Set(counted.map(({ key }) => key));
  const key = [...costs.keys()].find((each) => !granted.has(each));
  if (key === undefined) return undefined;
  const counter = await findCounter(db, key, now);
  return { key, waitMs: counter ? counter.windowEndsAt - now : windowMs };
}

/** Few writes at first, one call at a time near the limit. */
const CLAIMED_SHARE = 32;
const CLAIMED_MAX = 64;

/**
 * Claims several attempts in advance: how many were granted (0 at the limit), how many remain, and when the
 * window ends. The caller checks `config.rateLimit`.
 */
export async function claimAhead(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { key, limit, windowMs }: Omit<RateLimit, 'cost'>,
): Promise<{ granted: number; remaining: number; windowEndsAt: number }> {
  for (;;) {
    const now = clock.now();
    const counter = await findCounter(db, key, now);
    const isRunning = counter !== undefined && counter.windowEndsAt <= now + windowMs;
    const left = isRunning ? Math.max(0, limit - counter.count) : limit;
    if (left === 0)
      return { granted: 0, remaining: 0, windowEndsAt: counter?.windowEndsAt ?? now + windowMs };
    const cost = Math.min(CLAIMED_MAX, Math.ceil(left / CLAIMED_SHARE));
    const [counted] = await countUpTo(db, { costs: new Map([[key, cost]]), limit, now, windowMs });
    // No row: another process claimed meanwhile, so try again.
    if (counted) {
      const { count, windowEndsAt } = counted;
      return { granted: cost, remaining: Math.max(0, limit - count), windowEndsAt };
    }
  }
}

type Counter = { key: string; count: number; windowEndsAt: number };
type Counting = {
  costs: ReadonlyMap<string, number>;
  limit: number;
  now: number;
  windowMs: number;
};

async function countUpTo(db: Db, { costs, limit, now, windowMs }: Counting): Promise<Counter[]> {
  if (costs.size === 0) return [];
  // Sorted, so that PostgreSQL transactions that share keys cannot deadlock.
  const keys = [...costs.keys()].toSorted();
  const cost = sql<number>`excluded."count"`;
  // A window that ends too late was opened while the clock was wrong.
  const ended = sql<boolean>`("rateCounters"."windowEndsAt" <= ${now} or "rateCounters"."windowEndsAt" > ${now + windowMs})`;
  return db
    .insertInto('rateCounters')
    .values(keys.map((key) => ({ key, count: costs.get(key)!, windowEndsAt: now + windowMs })))
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          count: sql<number>`case when ${ended} then ${cost} else "rateCounters"."count" + ${cost} end`,
          windowEndsAt: sql<number>`case when ${ended} then ${now + windowMs} else "rateCounters"."windowEndsAt" end`,
        })
        .where((eb) => eb.or([ended, sql<boolean>`"rateCounters"."count" + ${cost} <= ${limit}`])),
    )
    .returning(['key', 'count', 'windowEndsAt'])
    .execute();
}

function findCounter(db: Db, key: string, now: number) {
  return db
    .selectFrom('rateCounters')
    .select(['count', 'windowEndsAt'])
    .where('key', '=', key)
    .where('windowEndsAt', '>', now)
    .executeTakeFirst();
}

/**
 * Returns whether this is the first sighting within `windowMs`. Atomic. Works even if rate limits are off.
 */
export async function claimFirstSighting(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { key, windowMs }: Pick<RateLimit, 'key' | 'windowMs'>,
): Promise<boolean> {
  const now = clock.now();
  const isForgotten = sql<boolean>`"rateCounters"."windowEndsAt" <= ${now}`;
  const { count } = await db
    .insertInto('rateCounters')
    .values({ key, count: 1, windowEndsAt: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${isForgotten} then 1 else 2 end`,
        windowEndsAt: now + windowMs,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count === 1;
}

/** For example after a correct password, so that only wrong ones count. */
export async function refundCounter({ db }: Deps, { key }: Pick<RateLimit, 'key'>): Promise<void> {
  await db
    .updateTable('rateCounters')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** Up to `tries` attempts; refills by one every `refillMs`. */
type Budget = { key: string; tries: number; refillMs: number };

/**
 * Claims one attempt atomically; inside a transaction it counts only on commit. The row stores when the
 * budget is full again, so the sweep of ended counters deletes exactly the full ones. Returns the wait in
 * milliseconds, or undefined if granted.
 */
export async function claimFromBudget(
  { db, clock, config }: Deps,
  { key, tries, refillMs }: Budget,
): Promise<number | undefined> {
  if (!config.rateLimit) return undefined;
  const now = clock.now();
  const emptyMs = tries * refillMs;
  const fullAt = sql<number>`"rateCounters"."windowEndsAt"`;
  // A budget that would be full too late was written while the clock was wrong.
  const isFull = sql<boolean>`(${fullAt} <= ${now} or ${fullAt} > ${now + emptyMs})`;
  const taken = await db
    .insertInto('rateCounters')
    .values({ key, count: 1, windowEndsAt: now + refillMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          windowEndsAt: sql<number>`case when ${isFull} then ${now + refillMs} else ${fullAt} + ${refillMs} end`,
        })
        .where((eb) => eb.or([isFull, eb('rateCounters.windowEndsAt', '<=', now + emptyMs - refillMs)])),
    )
    .returning('key')
    .executeTakeFirst();
  if (taken) return undefined;
  const counter = await findCounter(db, key, now);
  return Math.max(1, (counter?.windowEndsAt ?? now) + refillMs - emptyMs - now);
}

export async function refundToBudget(
  { db }: Deps,
  { key, refillMs }: Pick<Budget, 'key' | 'refillMs'>,
): Promise<void> {
  await db
    .updateTable('rateCounters')
    .set((eb) => ({ windowEndsAt: eb('windowEndsAt', '-', refillMs) }))
    .where('key', '=', key)
    .execute();
}

export async function deleteCounters({ db }: Pick<Deps, 'db'>, keys: string[]): Promise<void> {
  await db.deleteFrom('rateCounters').where('key', 'in', keys).execute();
}

export async function deleteEndedCounters({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await deleteInBatches(db, { table: 'rateCounters', key: ['key'] }, (eb) => eb('windowEndsAt', '<=', now));
}

/** The IPv4 address, or the /64 of an IPv6 address. */
export function addressKey(request: Pick<FastifyRequest, 'ip'>): string {
  return addressKeys(request)[0]!.key;
}

/** Larger networks get more attempts, because more people share them. */
const IPV6_NETWORKS = [
  { bits: 64, share: 1 },
  { bits: 56, share: 2 },
  { bits: 48, share: 4 },
];

/**
 * Narrowest first: the IPv4 address, or the /64, /56 and /48 of an IPv6 address, because one customer often
 * gets a /48. `share` multiplies the limit.
 */
function addressKeys({ ip }: Pick<FastifyRequest, 'ip'>): { key: string; share: number }[] {
  const address = ip.replace(/^::ffff:/, '');
  if (!isIPv6(address)) return [{ key: address, share: 1 }];
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const gap = address.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : [];
  const groups = [...left, ...gap, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16));
  return IPV6_NETWORKS.map(({ bits, share }) => {
    const kept = groups.map((group, index) => group & (0xffff << Math.max(0, 16 * (index + 1) - bits)));
    return { key: `${kept.map((group) => group.toString(16)).join(':')}::/${bits}`, share };
  });
}

/**
 * Counts an attempt for the address and the larger IPv6 networks around it. Returns the limits for
 * `refundCounter`. Throws AppError `too_many_requests`.
 */
export async function requireAddressWithinLimits(
  deps: Deps,
  request: FastifyRequest,
  { key: prefix, limit, windowMs }: Omit<RateLimit, 'cost'>,
): Promise<RateLimit[]> {
  const limits = addressKeys(request).map(({ key, share }) => ({
    key: `${prefix}:${key}`,
    limit: limit * share,
    windowMs,
  }));
  for (const each of limits) await requireWithinLimit(deps, each);
  return limits;
}

export function tooManyRequests(waitMs: number): AppError {
  return new AppError('too_many_requests', {
    details: { wait: formatWait(waitMs) },
    retryAfterSeconds: toRetryAfter(waitMs),
  });
}

export function formatWait(waitMs: number): string {
  const seconds = toRetryAfter(waitMs);
  if (seconds < 90) return fillPlaceholders(msg('{seconds} seconds'), { seconds });
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 120) return fillPlaceholders(msg('{minutes} minutes'), { minutes });
  return fillPlaceholders(msg('{hours} hours'), { hours: Math.ceil(minutes / 60) });
}

/** Whole seconds, at least 1, for `Retry-After`. */
export function toRetryAfter(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / SECOND_MS));
}
