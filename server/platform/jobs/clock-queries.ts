import type { Db, Trx } from '../db/open.ts';
import type { Instant } from '../db/schema.ts';
import { randomId } from '../lib/tokens.ts';

const KEY = 'clockState';

export async function readClockRow(db: Db | Trx): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row?.value;
}

/** Writes the state over the one that was read; false when another process was faster. */
export async function replaceClockRow(
  db: Db | Trx,
  { old, value, now }: { old: string | undefined; value: string; now: Instant },
): Promise<boolean> {
  if (old === undefined) {
    const inserted = await db
      .insertInto('settings')
      .values({ id: randomId(), key: KEY, value, updatedAt: now })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key')
      .executeTakeFirst();
    return inserted !== undefined;
  }
  const updated = await db
    .updateTable('settings')
    .set({ value, updatedAt: now })
    .where('key', '=', KEY)
    .where('value', '=', old)
    .returning('key')
    .executeTakeFirst();
  return updated !== undefined;
}

/**
 * The latest instant that an earlier version has certainly written: its hourly sweeps, else the newest transfer.
 * undefined in a new database.
 */
export async function findLatestActivity(db: Db): Promise<Instant | undefined> {
  const [sweep, transfer] = await Promise.all([
    db
      .selectFrom('settings')
      .select(({ fn }) => fn.max('updatedAt').as('at'))
      .where('key', '>', 'lastSweep.')
      .where('key', '<', 'lastSweep/')
      .executeTakeFirst(),
    db.selectFrom('transfers').select('createdAt').orderBy('createdAt', 'desc').limit(1).executeTakeFirst(),
  ]);
  const latest = Math.max(Number(sweep?.at ?? 0), transfer?.createdAt ?? 0);
  return latest === 0 ? undefined : latest;
}
