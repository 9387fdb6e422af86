import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { deleteInBatches } from '../db/batches.ts';
import type { Db } from '../db/open.ts';
import { AppError } from '../lib/app-error.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';

export type RateLimit = {
  /** Names what is counted, with everything it is counted by: 'login:frida:203.0.113.7'. */
  key: string;
  limit: number;
  windowMs: number;
  /** How much this try counts for; 1 unless told. */
  cost?: number;
};

/** What was not counted, because it would have passed the limit. */
type Refusal = {
  /** How much would still have been counted. */
  remaining: number;
  waitMs: number;
};

type Deps = { db: Db; clock: Clock; config: { rateLimit: boolean } };

/**
 * Counts one try, before it is judged, in one statement; counters are stored, so a restart or a second
 * process changes nothing, and in a transaction it counts only if that is committed. What passes the limit is
 * not counted. Throws AppError `too_many_requests`.
 */
export async function takeTry(deps: Deps, rateLimit: RateLimit): Promise<void> {
  const refusal = await claimTry(deps, rateLimit);
  if (refusal) throw tooManyRequests(refusal.waitMs);
}

/** As `takeTry`, for a caller with a sentence of its own: returns why it was not counted, else undefined. */
export async function claimTry(
  { db, clock, config }: Deps,
  { key, limit, windowMs, cost = 1 }: RateLimit,
): Promise<Refusal | undefined> {
  if (!config.rateLimit || cost === 0) return undefined;
  const now = clock.now();
  if (cost <= limit && (await countUpTo(db, { keys: [key], cost, limit, now, windowMs })).length === 1)
    return undefined;
  const counter = await findCounter(db, key, now);
  return {
    remaining: Math.max(0, limit - (counter?.count ?? 0)),
    waitMs: counter ? counter.windowEndsAt - now : windowMs,
  };
}

/**
 * Counts one try for each of these keys, in one statement. For callers in a transaction, which must not be
 * committed when this throws: some of the keys are counted then. Throws AppError `too_many_requests`.
 */
export async function takeTries(
  { db, clock, config }: Deps,
  { keys, limit, windowMs }: Omit<RateLimit, 'key' | 'cost'> & { keys: string[] },
): Promise<void> {
  if (!config.rateLimit || keys.length === 0) return;
  const counted = await countUpTo(db, { keys, cost: 1, limit, now: clock.now(), windowMs });
  if (counted.length < keys.length) throw tooManyRequests(windowMs);
}

/** Of what is left so much is claimed at once: few writes at first, one by one towards the limit. */
const CLAIMED_SHARE = 32;
const CLAIMED_MAX = 64;

/**
 * Counts some tries ahead, for a caller that gives them out one by one: how many (none when the limit is
 * reached), how many are left beside them, and when the window ends. `rateLimit` is the caller's to look at.
 */
export async function claimSome(
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
    const [counted] = await countUpTo(db, { keys: [key], cost, limit, now, windowMs });
    // Without one, others have claimed meanwhile, and less is left.
    if (counted) {
      const { count, windowEndsAt } = counted;
      return { granted: cost, remaining: Math.max(0, limit - count), windowEndsAt };
    }
  }
}

type Counter = { count: number; windowEndsAt: number };
type Counting = { keys: string[]; cost: number; limit: number; now: number; windowMs: number };

/** Returns the counters of the keys it was counted for: those that stay within the limit. */
async function countUpTo(db: Db, { keys, cost, limit, now, windowMs }: Counting): Promise<Counter[]> {
  // A window that ends too late was opened under a clock that was wrong.
  const ended = sql<boolean>`("rateCounters"."windowEndsAt" <= ${now} or "rateCounters"."windowEndsAt" > ${now + windowMs})`;
  return db
    .insertInto('rateCounters')
    .values(keys.toSorted().map((key) => ({ key, count: cost, windowEndsAt: now + windowMs })))
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          count: sql<number>`case when ${ended} then ${cost} else "rateCounters"."count" + ${cost} end`,
          windowEndsAt: sql<number>`case when ${ended} then ${now + windowMs} else "rateCounters"."windowEndsAt" end`,
        })
        .where((eb) => eb.or([ended, eb('rateCounters.count', '<=', limit - cost)])),
    )
    .returning(['count', 'windowEndsAt'])
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
 * Records a sighting, for `windowMs` from now, in one statement. Returns whether it is the first, or the first since
 * the last one was forgotten. Works whether or not rate limits are on.
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

/** Gives a try back that turned out to be right, so that only wrong ones count. */
export async function giveBackTry({ db }: Deps, { key }: Pick<RateLimit, 'key'>): Promise<void> {
  await db
    .updateTable('rateCounters')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** Begins anew for who has proved to be no guesser. */
export async function forgetTries({ db }: Pick<Deps, 'db'>, keys: string[]): Promise<void> {
  await db.deleteFrom('rateCounters').where('key', 'in', keys).execute();
}

export async function removeEndedCounters({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await deleteInBatches(db, { table: 'rateCounters', key: ['key'] }, (eb) => eb('windowEndsAt', '<=', now));
}

/** What a caller is counted by: the IPv4 address, or the /64 of an IPv6 one. */
export function addressKey(request: FastifyRequest): string {
  const address = request.ip.replace(/^::ffff:/, '');
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const gap = address.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : [];
  return `${[...left, ...gap, ...right].slice(0, 4).join(':')}::/64`;
}

/** The refusal of a caller who has to wait so long. */
export function tooManyRequests(waitMs: number): AppError {
  return new AppError('too_many_requests', {
    details: { wait: formatWait(waitMs) },
    retryAfterSeconds: toRetryAfter(waitMs),
  });
}

/** How long somebody is to wait, in words for a sentence. */
export function formatWait(waitMs: number): string {
  const seconds = toRetryAfter(waitMs);
  if (seconds < 90) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** The same in whole seconds, for `Retry-After`. */
export function toRetryAfter(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / SECOND_MS));
}
