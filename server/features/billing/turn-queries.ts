import type { Db } from '../../platform/db/open.ts';
import type { BillingTurnsTable } from '../../platform/db/schema.ts';

/** Takes the user's turn unless somebody has it; an end further away than `latestEnd` is of a clock that was wrong. */
export async function claimTurn(
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

export async function releaseTurn(
  db: Db,
  { userId, turnId }: Pick<BillingTurnsTable, 'userId' | 'turnId'>,
): Promise<void> {
  await db.deleteFrom('billingTurns').where('userId', '=', userId).where('turnId', '=', turnId).execute();
}
