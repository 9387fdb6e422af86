import { setTimeout } from 'node:timers/promises';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { BillingTurnsTable } from '../../../platform/db/schema/billing.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

/** Longer than any sequence of calls to the provider. */
const LEASE_MS = 3 * MINUTE_MS;
const POLL_MS = 100;
const MAX_WAIT_MS = 10_000;

/**
 * Runs a change of a user's subscription under a lock shared by all processes, so that a second call sees what the
 * first one started. Throws AppError `conflict` if the lock isn't free within `maxWaitMs` (ten seconds by default).
 */
export async function withBillingLock<T>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: string,
  run: () => Promise<T>,
  { maxWaitMs = MAX_WAIT_MS } = {},
): Promise<T> {
  const turnId = randomId();
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const now = clock.now();
    const turn = { userId, turnId, endsAt: now + LEASE_MS };
    if (await acquireBillingLock(db, turn, { now, latestEnd: now + 2 * LEASE_MS })) break;
    if (waitedMs >= maxWaitMs) throw new AppError('conflict');
    await setTimeout(POLL_MS);
  }
  try {
    return await run();
  } finally {
    await releaseBillingLock(db, { userId, turnId });
  }
}

/** Returns false while another call has the lock. An end beyond `latestEnd` comes from a wrong clock and is ignored. */
async function acquireBillingLock(
  db: Db,
  turn: BillingTurnsTable,
  { now, latestEnd }: { now: number; latestEnd: number },
): Promise<boolean> {
  const row = await db
    .insertInto('billingTurns')
    .values(turn)
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet({ turnId: turn.turnId, endsAt: turn.endsAt })
        .where((eb) =>
          eb.or([eb('billingTurns.endsAt', '<=', now), eb('billingTurns.endsAt', '>', latestEnd)]),
        ),
    )
    .returning('turnId')
    .executeTakeFirst();
  return row !== undefined;
}

async function releaseBillingLock(
  db: Db,
  { userId, turnId }: Pick<BillingTurnsTable, 'userId' | 'turnId'>,
): Promise<void> {
  await db.deleteFrom('billingTurns').where('userId', '=', userId).where('turnId', '=', turnId).execute();
}
