import type { ExpressionBuilder } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { Database, SubscriptionRow } from '../../../platform/db/schema.ts';

/**
 * Subscriptions that may have changed at the provider: their period is over, a payment is open (also that of an
 * upgrade), or they were unpaid at the last sync. Ordered by id.
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
 * Subscriptions not synced since an instant, longest ago first, and those ended here while their provider could not
 * be polled (their end is unknown).
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

/**
 * What has ended at another provider than the present one: a period, a grace period, or an attempt started before an
 * instant.
 */
export type Past = { provider: SubscriptionRow['provider']; now: Instant; begunBy: Instant };

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

/** Returns undefined when it is no longer over. Only the provider knows when it ended, so `endedAt` stays null. */
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
