import type { Db } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema.ts';
import { randomId } from '../../platform/lib/tokens.ts';

type Time = { from: Instant; until: Instant };

/** Accounts made in a time, also those that are deleted and whose row is still there. */
export async function countNewUsers(db: Db, { from, until }: Time): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('createdAt', '>=', from)
    .where('createdAt', '<', until)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Of transfers made ready in a time, also those that are deleted and whose row is still there. */
export async function sumReady(db: Db, { from, until }: Time): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await db
    .selectFrom('transfers')
    .select(({ fn }) => [fn.countAll().as('count'), fn.sum('totalBytes').as('bytes')])
    .where('readyAt', '>=', from)
    .where('readyAt', '<', until)
    .executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes ?? 0) };
}

export async function countDownloads(db: Db, { from, until }: Time): Promise<number> {
  const { count } = await db
    .selectFrom('downloads')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('downloadedAt', '>=', from)
    .where('downloadedAt', '<', until)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What is kept of days that are over, as JSON by the day. */
const KEY = (day: string) => `trend.${day}`;

export async function selectKeptDays(db: Db, since: string): Promise<Map<string, string>> {
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

/** The first to keep a day is believed: what is deleted later has happened all the same. */
export async function insertKeptDay(db: Db, day: { day: string; value: string; at: Instant }): Promise<void> {
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY(day.day), value: day.value, updatedAt: day.at })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

export async function deleteKeptDays(db: Db, days: string[]): Promise<void> {
  if (days.length > 0) await db.deleteFrom('settings').where('key', 'in', days.map(KEY)).execute();
}
