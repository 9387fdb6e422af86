import { deleteInBatches } from '../db/batches.ts';
import type { Db } from '../db/open.ts';
import type { IdempotencyKeysTable, Instant } from '../db/schema.ts';

/** `runId` tells whose run it is. */
type Run = { id: string; runId: string };

export type FirstRun = Pick<IdempotencyKeysTable, 'requestHash' | 'outcome'>;

/**
 * True: the run is the caller's, because it is the first, the one before is forgotten by now, or it has died.
 * Of requests that come at once one gets it.
 */
export async function claimRun(
  db: Db,
  row: Run & Pick<IdempotencyKeysTable, 'userId' | 'requestHash'>,
  { now, ...times }: { now: Instant; runsUntil: Instant; expiresAt: Instant },
): Promise<boolean> {
  const claimed = await db
    .insertInto('idempotencyKeys')
    .values({ ...row, ...times, outcome: null })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ requestHash: row.requestHash, runId: row.runId, ...times, outcome: null })
        .where((eb) =>
          eb.or([
            eb('idempotencyKeys.expiresAt', '<=', now),
            eb.and([
              eb('idempotencyKeys.runId', 'is not', null),
              eb('idempotencyKeys.runsUntil', '<=', now),
              eb('idempotencyKeys.requestHash', '=', row.requestHash),
            ]),
          ]),
        ),
    )
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export function findFirstRun(db: Db, id: string): Promise<FirstRun | undefined> {
  return db
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'outcome'])
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function prolongRun(db: Db, { id, runId }: Run, runsUntil: Instant): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ runsUntil })
    .where('id', '=', id)
    .where('runId', '=', runId)
    .execute();
}

/** Nothing when the run has become somebody else's. */
export async function keepOutcome(db: Db, { id, runId }: Run, outcome: string): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ outcome, runId: null })
    .where('id', '=', id)
    .where('runId', '=', runId)
    .execute();
}

export async function forgetRun(db: Db, { id, runId }: Run): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('id', '=', id).where('runId', '=', runId).execute();
}

export async function deleteExpiredRuns(db: Db, now: Instant): Promise<void> {
  await deleteInBatches(db, { table: 'idempotencyKeys', key: ['id'] }, (eb) => eb('expiresAt', '<=', now));
}
