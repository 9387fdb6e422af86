import { AdminTrends } from '../../../../contracts/admin/stats.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import { dayOf } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

const DAYS = 30;
type Day = AdminTrends[number];

/**
 * The last 30 days in UTC, oldest first. Past days are stored once, so that later deletions don't change them; days
 * not stored yet are counted.
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

export async function storePastDays({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
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

function lastDays(now: Instant): Instant[] {
  const today = startOfDay(now);
  return Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY_MS);
}

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

type Time = { from: Instant; until: Instant };

/** Includes deleted accounts until their row is removed. */
async function countNewUsers(db: Db, { from, until }: Time): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('createdAt', '>=', from)
    .where('createdAt', '<', until)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function sumReady(db: Db, { from, until }: Time): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await db
    .selectFrom('transfers')
    .select(({ fn }) => [fn.countAll().as('count'), fn.sum('totalBytes').as('bytes')])
    .where('readyAt', '>=', from)
    .where('readyAt', '<', until)
    .executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes ?? 0) };
}

async function countDownloads(db: Db, { from, until }: Time): Promise<number> {
  const { count } = await db
    .selectFrom('downloads')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('downloadedAt', '>=', from)
    .where('downloadedAt', '<', until)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const KEY = (day: string) => `trend.${day}`;

async function selectKeptDays(db: Db, since: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('settings')
    .select(['key', 'value'])
    .where('key', 'like', KEY('%'))
    .execute();
  return new Map(
    rows
      .map(({ key, value }): [string, string] => [key.slice(KEY('').length), value])
      .filter(([day]) => day >= since),
  );
}

/** Keeps the first stored value, so that later deletions don't change the past. */
async function insertKeptDay(db: Db, day: { day: string; value: string; at: Instant }): Promise<void> {
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY(day.day), value: day.value, updatedAt: day.at })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

async function deleteKeptDays(db: Db, days: string[]): Promise<void> {
  if (days.length > 0) await db.deleteFrom('settings').where('key', 'in', days.map(KEY)).execute();
}
