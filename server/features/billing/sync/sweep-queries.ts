import type { ExpressionBuilder } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { Database, SubscriptionRow } from '../../../platform/db/schema.ts';

/**
 * Subscriptions that may have changed at the provider: their period is over, a payment is open, or they were unpaid at
 * the last sync. Ordered by id.
 */
export async function listDue(
  db: Db,
  { provider, now }: { provider: SubscriptionRow['provider']; now: Instant },
  { after, limit }: { after: string; limit: number },
): Promise<SubscriptionRow[]> {
  // One condition with `or` would look for open invoices of every active subscription.
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('subscriptions')
        .select('id')
        .where('status', 'in', ['past_due', 'incomplete'])
        .union(
          selectFrom('subscriptions')
            .select('id')
            .where('status', 'in', ['active', 'trialing'])
            .where('renewsAt', '<=', now),
        )
        .union(selectWithOpenInvoice({ selectFrom })),
    )
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Subscriptions not synced since an instant, oldest sync first, and those ended here without asking their provider. */
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

/** Periods, grace periods, and attempts started before an instant, at any provider except this one. */
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

/** Returns undefined if it is no longer over. `endedAt` stays null, because only the provider knows the end. */
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

function selectWithOpenInvoice({ selectFrom }: Pick<ExpressionBuilder<Database, never>, 'selectFrom'>) {
  return selectFrom('invoices')
    .innerJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.providerSubscriptionId', '=', 'invoices.providerSubscriptionId')
        .onRef('subscriptions.userId', '=', 'invoices.userId'),
    )
    .select('subscriptions.id')
    .where('invoices.status', '=', 'open')
    .where('subscriptions.status', 'in', ['active', 'trialing']);
}
