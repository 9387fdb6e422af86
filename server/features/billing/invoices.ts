import type { Trx } from '../../platform/db/open.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import type { ProviderInvoice } from '../../platform/payments/provider.ts';
import { isRunning } from './entitlement.ts';
import { findKnownInvoices, type InvoiceRow, writeInvoice } from './invoice-queries.ts';

/**
 * Writes the invoices of a subscription as the provider has them. What an attempt would have cost that was never
 * paid is nobody's invoice.
 */
export async function settleInvoices(
  trx: Trx,
  row: SubscriptionRow,
  invoices: ProviderInvoice[],
): Promise<void> {
  const own = invoices.filter(({ subscriptionId }) => subscriptionId === row.providerSubscriptionId);
  const known = await findKnownInvoices(
    trx,
    own.map(({ id }) => id),
  );
  for (const invoice of own) {
    const former = known.get(invoice.id);
    if (former ? !isSame(former, invoice) : isOwed(row, invoice))
      await writeInvoice(trx, toRow(row.userId, invoice));
  }
}

function isOwed(row: SubscriptionRow, { status }: ProviderInvoice): boolean {
  if (status === 'void') return false;
  return status !== 'open' || isRunning(row);
}

function isSame(former: InvoiceRow, { id, subscriptionId, createdAt, ...invoice }: ProviderInvoice): boolean {
  return (Object.keys(invoice) as (keyof typeof invoice)[]).every((key) => former[key] === invoice[key]);
}

function toRow(userId: string, { id, subscriptionId, ...invoice }: ProviderInvoice) {
  return {
    ...invoice,
    id: randomId(),
    userId,
    providerInvoiceId: id,
    providerSubscriptionId: subscriptionId,
  };
}
