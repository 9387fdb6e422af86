import type { Db } from '../db/open.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { randomId } from '../lib/tokens.ts';

export const SWEEP_INTERVAL_MS = HOUR_MS;

/** Between two looks of a sweeper the clock may not have moved further than this to be believed. */
const BELIEVABLE_PAUSE_MS = 2 * SWEEP_INTERVAL_MS;
const BELIEVABLE_SETBACK_MS = 5 * MINUTE_MS;

/**
 * Notes that a sweeper looks now. False after the clock leapt (or the server was off for long): such a look
 * must remove nothing; the next one, a sweep later, believes the clock (fault 13). `sweeper` names whose looks
 * are compared.
 */
export async function takeLook({ db, clock }: { db: Db; clock: Clock }, sweeper: string): Promise<boolean> {
  const now = clock.now();
  const key = `lastSweep.${sweeper}`;
  const last = await readLook(db, key);
  await writeLook(db, key, now);
  if (last === undefined) return true;
  return now - last <= BELIEVABLE_PAUSE_MS && last - now <= BELIEVABLE_SETBACK_MS;
}

async function readLook(db: Db, key: string): Promise<number | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return row && Number(row.value);
}

async function writeLook(db: Db, key: string, now: number): Promise<void> {
  const row = { value: String(now), updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}
