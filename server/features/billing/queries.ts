import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';
import type { InvoicesTable, SubscriptionsTable } from '../../platform/db/schema/billing.ts';
import type { Instant, Tier } from '../../platform/db/schema/column-types.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';

type Provider = SubscriptionRow['provider'];

/**
 * The user's newest subscription at this provider that has not ended, else the newest that was ever paid for or had a
 * card stored.
 */
export async function findCurrentSubscription(
  db: Db,
  userId: string,
  provider: Provider,
): Promise<SubscriptionRow | undefined> {
  const rows = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where('userId', '=', userId)
    .where('provider', '=', provider)
    .where((eb) => eb.or([eb('status', '!=', 'ended'), eb('periodStartsAt', 'is not', null)]))
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
  return rows.find(({ status }) => status !== 'ended') ?? rows[0];
}

/** At any provider, not only the current one. */
export async function findFormerSubscription(db: Db, userId: string): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('users')
    .innerJoin('subscriptions', 'subscriptions.providerSubscriptionId', 'users.paymentSubscriptionId')
    .selectAll('subscriptions')
    .where('users.id', '=', userId)
    .where('subscriptions.status', 'in', ['active', 'trialing', 'past_due'])
    .executeTakeFirst();
}

export async function findSubscription(db: Db, providerId: string): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('providerSubscriptionId', '=', providerId)
    .executeTakeFirst();
}

/** Subscriptions that were running at their last sync, newest first. */
export async function listOtherRunning(
  trx: Trx,
  { userId, providerSubscriptionId }: Pick<SubscriptionRow, 'userId' | 'providerSubscriptionId'>,
): Promise<SubscriptionRow[]> {
  return trx
    .selectFrom('subscriptions')
    .selectAll()
    .where('userId', '=', userId)
    .where('providerSubscriptionId', '!=', providerSubscriptionId)
    .where('status', 'in', ['active', 'trialing', 'past_due'])
    .orderBy('createdAt', 'desc')
    .execute();
}

export async function listUnended(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('providerSubscriptionId')
    .where('userId', '=', userId)
    .where('status', '!=', 'ended')
    .execute();
  return rows.map(({ providerSubscriptionId }) => providerSubscriptionId);
}

export async function listOfCustomer(db: Db, customerId: string, provider: Provider): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.userId')
    .select('providerSubscriptionId')
    .where('users.paymentCustomerId', '=', customerId)
    .where('provider', '=', provider)
    .execute();
  return rows.map(({ providerSubscriptionId }) => providerSubscriptionId);
}

/** Includes deleted accounts. */
export async function findUserIdOfCustomer(db: Db, customerId: string): Promise<string | undefined> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('paymentCustomerId', '=', customerId)
    .executeTakeFirst();
  return user?.id;
}

export async function findTier(db: Db, userId: string): Promise<Tier> {
  const user = await db.selectFrom('users').select('tier').where('id', '=', userId).executeTakeFirst();
  return user?.tier ?? 'free';
}

/** If a sync has already inserted the subscription, only adds the coupon, which the provider doesn't know. */
export async function insertSubscription(trx: Trx, row: Insertable<SubscriptionsTable>): Promise<void> {
  await trx
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('providerSubscriptionId').doUpdateSet((eb) => ({
        couponId: eb.fn.coalesce('subscriptions.couponId', 'excluded.couponId'),
      })),
    )
    .execute();
}

/** Bumps the sync number before the provider is polled. */
export async function claimSync(
  db: Db,
  providerId: string,
  provider: Provider,
): Promise<SubscriptionRow | undefined> {
  return db
    .updateTable('subscriptions')
    .set((eb) => ({ looks: eb('looks', '+', 1) }))
    .where('providerSubscriptionId', '=', providerId)
    .where('provider', '=', provider)
    .returningAll()
    .executeTakeFirst();
}

/** Returns undefined and changes nothing if a later sync has started. */
export async function writeSync(
  trx: Trx,
  { providerSubscriptionId, looks }: Pick<SubscriptionRow, 'providerSubscriptionId' | 'looks'>,
  changes: Updateable<SubscriptionsTable>,
): Promise<SubscriptionRow | undefined> {
  return trx
    .updateTable('subscriptions')
    .set(changes)
    .where('providerSubscriptionId', '=', providerSubscriptionId)
    .where('looks', '=', looks)
    .returningAll()
    .executeTakeFirst();
}

export async function insertEvent(
  trx: Trx,
  event: { id: string; type: string; createdAt: Instant },
): Promise<boolean> {
  const row = await trx
    .insertInto('paymentEvents')
    .values(event)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteEventsBefore(db: Db, instant: Instant): Promise<void> {
  await deleteInBatches(db, { table: 'paymentEvents', key: ['id'] }, (eb) => eb('createdAt', '<', instant));
}

export type InvoiceRow = Selectable<InvoicesTable>;

export async function listInvoicesOf(db: Db, userId: string, limit: number): Promise<InvoiceRow[]> {
  return db
    .selectFrom('invoices')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Cents of the newest open invoice. */
export async function findOpenAmount(db: Db, providerSubscriptionId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('invoices')
    .select('amountCents')
    .where('providerSubscriptionId', '=', providerSubscriptionId)
    .where('status', '=', 'open')
    .orderBy('createdAt', 'desc')
    .executeTakeFirst();
  return row?.amountCents;
}

export async function findKnownInvoices(
  trx: Trx,
  providerInvoiceIds: string[],
): Promise<Map<string, InvoiceRow>> {
  if (providerInvoiceIds.length === 0) return new Map();
  const rows = await trx
    .selectFrom('invoices')
    .selectAll()
    .where('providerInvoiceId', 'in', providerInvoiceIds)
    .execute();
  return new Map(rows.map((row) => [row.providerInvoiceId, row]));
}

export async function writeInvoice(trx: Trx, row: Insertable<InvoicesTable>): Promise<void> {
  const { id, userId, providerInvoiceId, createdAt, ...changes } = row;
  await trx
    .insertInto('invoices')
    .values(row)
    .onConflict((conflict) => conflict.column('providerInvoiceId').doUpdateSet(changes))
    .execute();
}

/** Marks paid invoices as receipted. Returns each one only once. */
export async function claimReceipts(trx: Trx, userId: string, now: Instant): Promise<InvoiceRow[]> {
  return trx
    .updateTable('invoices')
    .set({ receiptSentAt: now })
    .where('userId', '=', userId)
    .where('status', '=', 'paid')
    .where('amountCents', '>', 0)
    .where('receiptSentAt', 'is', null)
    .returningAll()
    .execute();
}
