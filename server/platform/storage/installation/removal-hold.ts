import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Db } from '../../db/open.ts';
import type { Instant } from '../../db/schema/column-types.ts';
import type { Database } from '../../db/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/tokens.ts';

/**
 * While a removal hold is active, no process starts a job that deletes stored bytes. A hold is a row of
 * `settings` whose `updatedAt` is its last renewal; it expires so that a killed holder doesn't block others
 * for long.
 */
const HOLD_MS = 2 * MINUTE_MS;
const RENEW_EVERY_MS = 20 * SECOND_MS;
const KEY_PREFIX = 'removalHold.';
/** The end of the prefix's key range ('/' follows '.'). */
const KEY_END = 'removalHold/';

export type RemovalHold = {
  /** Throws if the hold was not renewed in time: bytes may have been removed. */
  assertHeld(): void;
  release(): Promise<void>;
};

export async function acquireRemovalHold({ db, clock }: { db: Db; clock: Clock }): Promise<RemovalHold> {
  const key = KEY_PREFIX + randomId();
  let isLost = false;
  let renewedAt = performance.now();
  const renew = async () => {
    const startedAt = performance.now();
    await upsertHold(db, key, clock.now());
    // Monotonic, because the machine may have slept between two renewals.
    if (performance.now() - renewedAt > HOLD_MS) isLost = true;
    renewedAt = startedAt;
  };
  await renew();
  const timer = setInterval(() => void renew().catch(() => undefined), RENEW_EVERY_MS);
  timer.unref();
  return {
    assertHeld() {
      if (isLost || performance.now() - renewedAt > HOLD_MS)
        throw new Error('The removal hold was lost: the database did not respond for too long.');
    },
    async release() {
      clearInterval(timer);
      await db.deleteFrom('settings').where('key', '=', key).execute();
    },
  };
}

export function hasNoRemovalHold(
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
        // A hold from the far future was written while the clock was wrong.
        .where('settings.updatedAt', '<', now + HOLD_MS),
    ),
  );
}

export async function hasRemovalHold({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
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

/** For restored databases: deletes the hold that was active during the backup. */
export async function deleteRemovalHolds(db: Db): Promise<void> {
  await db.deleteFrom('settings').where('key', '>', KEY_PREFIX).where('key', '<', KEY_END).execute();
}

async function upsertHold(db: Db, key: string, now: Instant): Promise<void> {
  await db
    .insertInto('settings')
    .values({ id: randomId(), key, value: '{}', updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ updatedAt: now }))
    .execute();
}

const KEY = 'orphanQuarantineUntil';

/** Gives the operator time to notice a wrong database before orphans are removed. */
export const ORPHAN_QUARANTINE_MS = 3 * DAY_MS;

/** Never shortens a running quarantine. */
export async function beginOrphanQuarantine(db: Db, now: Instant): Promise<void> {
  const until = Math.max(now + ORPHAN_QUARANTINE_MS, (await findOrphanQuarantineEnd(db)) ?? 0);
  const row = { value: String(until), updatedAt: now };
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: KEY, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

export async function findOrphanQuarantineEnd(db: Db): Promise<Instant | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', KEY).executeTakeFirst();
  return row && Number(row.value);
}
