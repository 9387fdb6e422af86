import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant, InvoicesTable } from '../../platform/db/schema.ts';

export type InvoiceRow = Selectable<InvoicesTable>;

/** The newest first. */
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

/** Cents of the newest that is still to be paid; undefined without one. */
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

/** Its provider's id decides whether it is a new one. */
export async function writeInvoice(trx: Trx, row: Insertable<InvoicesTable>): Promise<void> {
  const { id, userId, providerInvoiceId, createdAt, ...changes } = row;
  await trx
    .insertInto('invoices')
    .values(row)
    .onConflict((conflict) => conflict.column('providerInvoiceId').doUpdateSet(changes))
    .execute();
}

/** Notes that their payer is mailed a receipt now, and returns them: each is told once. */
export async function takeReceipts(trx: Trx, userId: string, now: Instant): Promise<InvoiceRow[]> {
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
