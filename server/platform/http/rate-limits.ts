import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';

export type RateLimit = {
  /** Names what is counted, with everything it is counted by: 'login:frida:203.0.113.7'. */
  key: string;
  limit: number;
  windowMs: number;
};

type Deps = { db: Db; clock: Clock; config: { rateLimit: boolean } };

/**
 * Counts one try, before it is judged, in one statement; counters are stored, so a restart or a second
 * process changes nothing. Throws AppError `too_many_requests` beyond the limit.
 */
export async function takeTry(
  { db, clock, config }: Deps,
  { key, limit, windowMs }: RateLimit,
): Promise<void> {
  if (!config.rateLimit) return;
  const now = clock.now();
  const ended = sql<boolean>`"rateCounters"."windowEndsAt" <= ${now}`;
  const { count, windowEndsAt } = await db
    .insertInto('rateCounters')
    .values({ key, count: 1, windowEndsAt: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${ended} then 1 else "rateCounters"."count" + 1 end`,
        windowEndsAt: sql<number>`case when ${ended} then ${now + windowMs} else "rateCounters"."windowEndsAt" end`,
      }),
    )
    .returning(['count', 'windowEndsAt'])
    .executeTakeFirstOrThrow();
  if (count > limit) throw tooManyRequests(Number(windowEndsAt) - now);
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

export async function removeEndedCounters({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  await db.deleteFrom('rateCounters').where('windowEndsAt', '<=', clock.now()).execute();
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

function tooManyRequests(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new AppError('too_many_requests', { details: { wait }, retryAfterSeconds: seconds });
}
