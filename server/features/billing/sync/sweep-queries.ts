import type { ExpressionBuilder } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Database, Instant, SubscriptionRow } from '../../../platform/db/schema.ts';

/**
 * Subscriptions that may stand otherwise than is written here: their period is over, a payment is owed (also that
 * of an upgrade), or they were not paid yet when last looked at. In the order of their ids.
 */
export async function listDue(
  db: Db,
  { provider, now }: { provider: SubscriptionRow['provider']; now: Instant },
  { after, limit }: { after: string; limit: number },
): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('provider', '=', provider)
    .where((eb) =>
      eb.or([
        eb('status', 'in', ['past_due', 'incomplete']),
        eb.and([
          eb('status', 'in', ['active', 'trialing']),
          eb.or([eb('renewsAt', '<=', now), eb.exists(openInvoice(eb))]),
        ]),
      ]),
    )
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Those that ran when they were last looked at, which was before an instant, the longest ago first; and those that
 * were ended here while their provider could not be asked (nobody has said when they ended).
 */
export async function listUnseen(
  db: Db,
  { provider, before, limit }: { provider: SubscriptionRow['provider']; before: Instant; limit: number },
): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('provider', '=', provider)
    .where((eb) =>
      eb.or([
        eb.and([eb('status', 'in', ['active', 'trialing']), eb('updatedAt', '<=', before)]),
        eb.and([eb('status', '=', 'ended'), eb('endedAt', 'is', null)]),
      ]),
    )
    .orderBy('updatedAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** What is over at another provider than the present one: a period, a grace, an attempt begun by an instant. */
export type Past = { provider: SubscriptionRow['provider']; now: Instant; begunBy: Instant };

/** In the order of their ids. */
export async function listPast(
  db: Db,
  past: Past,
  { after, limit }: { after: string; limit: number },
): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where((eb) => isPast(eb, past))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Undefined when it is not over any more. When it ended only its provider could say: `endedAt` stays empty. */
export async function writeEnd(trx: Trx, id: string, past: Past): Promise<SubscriptionRow | undefined> {
  return trx
    .updateTable('subscriptions')
    .set({ status: 'ended', failedAt: null, graceEndsAt: null, updatedAt: past.now })
    .where('id', '=', id)
    .where((eb) => isPast(eb, past))
    .returningAll()
    .executeTakeFirst();
}

function isPast(eb: ExpressionBuilder<Database, 'subscriptions'>, { provider, now, begunBy }: Past) {
  return eb.and([
    eb('provider', '!=', provider),
    eb('status', '!=', 'ended'),
    eb.or([
      eb('renewsAt', '<=', now),
      eb('graceEndsAt', '<=', now),
      eb.and([eb('renewsAt', 'is', null), eb('createdAt', '<=', begunBy)]),
    ]),
  ]);
}

function openInvoice({ selectFrom }: ExpressionBuilder<Database, 'subscriptions'>) {
  return selectFrom('invoices')
    .select('invoices.id')
    .whereRef('invoices.userId', '=', 'subscriptions.userId')
    .whereRef('invoices.providerSubscriptionId', '=', 'subscriptions.providerSubscriptionId')
    .where('invoices.status', '=', 'open');
}
