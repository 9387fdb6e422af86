import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Db } from '../../db/open.ts';
import type { Database, Instant } from '../../db/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/tokens.ts';

/**
 * While somebody holds removals, no process begins a job that removes stored bytes: what a row named when the
 * hold was taken stays readable until it is released. A hold is a row of `settings` whose `updatedAt` is its
 * latest sign of life; after so long without one it is over, so that a killed holder stops nobody for long.
 */
const HOLD_MS = 2 * MINUTE_MS;
const RENEW_EVERY_MS = 20 * SECOND_MS;
const KEY_PREFIX = 'removalHold.';
/** The character after the dot: the end of the prefix's range. */
const KEY_END = 'removalHold/';

export type RemovalHold = {
  /** Throws when it was not renewed in time: bytes may have been removed meanwhile. */
  assertHeld(): void;
  release(): Promise<void>;
};

/** Takes a hold and renews it until it is released. */
export async function holdRemovals({ db, clock }: { db: Db; clock: Clock }): Promise<RemovalHold> {
  const key = KEY_PREFIX + randomId();
  let isLost = false;
  let renewedAt = performance.now();
  const renew = async () => {
    const startedAt = performance.now();
    await writeHold(db, key, clock.now());
    // The machine may have slept: what counts is the time without a sign of life, by a clock that only rises.
    if (performance.now() - renewedAt > HOLD_MS) isLost = true;
    renewedAt = startedAt;
  };
  await renew();
  const timer = setInterval(() => void renew().catch(() => undefined), RENEW_EVERY_MS);
  timer.unref();
  return {
    assertHeld() {
      if (isLost || performance.now() - renewedAt > HOLD_MS)
        throw new Error('The hold on removals was lost: the database did not answer for too long.');
    },
    async release() {
      clearInterval(timer);
      await db.deleteFrom('settings').where('key', '=', key).execute();
    },
  };
}

/** SQL condition: true while no hold on removals is active. */
export function noRemovalHold(
  eb: ExpressionBuilder<Database, keyof Database>,
  now: Instant,
): Expression<SqlBool> {
  return eb.not(
    eb.exists(
      eb
        .selectFrom('settings')
        .select('settings.key')
        .where('settings.key', '>', KEY_PREFIX)
        .where('settings.key', '<', KEY_END)
        .where('settings.updatedAt', '>', now - HOLD_MS)
        // One from the far future was written under a clock that was wrong.
        .where('settings.updatedAt', '<', now + HOLD_MS),
    ),
  );
}

/** For long jobs that check repeatedly. */
export async function areRemovalsHeld({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const now = clock.now();
  const row = await db
    .selectFrom('settings')
    .select('key')
    .where('key', '>', KEY_PREFIX)
    .where('key', '<', KEY_END)
    .where('updatedAt', '>', now - HOLD_MS)
    .where('updatedAt', '<', now + HOLD_MS)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A copied database remembers the hold of its copying. */
export async function forgetHolds(db: Db): Promise<void> {
  await db.deleteFrom('settings').where('key', '>', KEY_PREFIX).where('key', '<', KEY_END).execute();
}

async function writeHold(db: Db, key: string, now: Instant): Promise<void> {
  await db
    .insertInto('settings')
    .values({ id: randomId(), key, value: '{}', updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ updatedAt: now }))
    .execute();
}

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
