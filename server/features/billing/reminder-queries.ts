import type { ExpressionBuilder } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Database, Instant, SubscriptionRow } from '../../platform/db/schema.ts';

/** Period ends after `now`, until `until`; only the present provider can charge. */
type Span = { now: Instant; until: Instant; provider: SubscriptionRow['provider'] };

/** Subscriptions whose owners are to be reminded of the end of the period. */
export async function listToRemind(db: Db, span: Span): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('id')
    .where((eb) => isToBeReminded(eb, span))
    .execute();
  return rows.map(({ id }) => id);
}

/** Notes that the owner is reminded now; undefined when that was done, or the plan changed, meanwhile. */
export async function takeReminder(trx: Trx, id: string, span: Span): Promise<SubscriptionRow | undefined> {
  return trx
    .updateTable('subscriptions')
    .set((eb) => ({ remindedOf: eb.ref('renewsAt') }))
    .where('id', '=', id)
    .where((eb) => isToBeReminded(eb, span))
    .returningAll()
    .executeTakeFirst();
}

function isToBeReminded(eb: ExpressionBuilder<Database, 'subscriptions'>, { now, until, provider }: Span) {
  return eb.and([
    eb('status', 'in', ['active', 'trialing']),
    eb('renewsAt', '>', now),
    eb('renewsAt', '<=', until),
    eb.or([
      eb('cancelAtPeriodEnd', '=', 1),
      eb.and([eb('status', '=', 'trialing'), eb('provider', '=', provider)]),
    ]),
    eb.or([eb('remindedOf', 'is', null), eb('remindedOf', '!=', eb.ref('renewsAt'))]),
  ]);
}
