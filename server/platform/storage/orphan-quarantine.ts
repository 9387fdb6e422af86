import type { Db } from '../db/open.ts';
import type { Instant } from '../db/schema.ts';
import { DAY_MS } from '../lib/clock.ts';
import { randomId } from '../lib/tokens.ts';

const KEY = 'orphanQuarantineUntil';

/**
 * How long blobs without a row stay untouched after a first start, a restore or an adopted storage: the
 * operator has this long to notice that the database is the wrong one.
 */
export const ORPHAN_QUARANTINE_MS = 3 * DAY_MS;

/** Stops orphan removal until `now + ORPHAN_QUARANTINE_MS`. Never shortens a quarantine that is already running. */
export async function beginOrphanQuarantine(db: Db, now: Instant): Promise<void> {
  const until = Math.max(now + ORPHAN_QUARANTINE_MS, (await findOrphanQuarantineEnd(db)) ?? 0);
  const row = { value: String(until), updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

/** When orphan removal may begin; undefined if no quarantine was ever started. */
export async function findOrphanQuarantineEnd(db: Db): Promise<Instant | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row && Number(row.value);
}
