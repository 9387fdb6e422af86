import type Stripe from 'stripe';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { ProviderInvoice, ProviderPayment } from '../provider.ts';
import { tierOfProduct } from './catalog.ts';
import { idOf } from './references.ts';

const PAGE = 100;

/**
 * Omits the empty invoices of free months. Lists the charges too, because invoices don't show refunds and
 * disputes.
 */
export async function listInvoices(stripe: Stripe, customerId: string): Promise<ProviderInvoice[]> {
  const [invoices, charges] = await Promise.all([
    stripe.invoices.list({ customer: customerId, limit: PAGE, expand: ['data.payments'] }),
    stripe.charges.list({ customer: customerId, limit: PAGE }),
  ]);
  const returned = new Set(
    charges.data
      .filter(({ refunded, disputed }) => refunded || disputed)
      .map(({ payment_intent }) => idOf(payment_intent)),
  );
  return invoices.data.flatMap((invoice) => toInvoice(invoice, returned) ?? []);
}

function toInvoice(invoice: Stripe.Invoice, returned: Set<string | null>): ProviderInvoice | undefined {
  const line = invoice.lines.data.toSorted((one, other) => other.amount - one.amount)[0];
  const product = line?.pricing?.price_details?.product;
  const tier = product && tierOfProduct(product);
  const status = toInvoiceStatus(invoice, returned);
  const amountCents = invoice.status === 'paid' ? invoice.amount_paid : invoice.amount_due;
  if (!line || !tier || !status || amountCents <= 0) return undefined;
  return {
    id: invoice.id,
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
    tier,
    number: invoice.number,
    status,
    amountCents,
    // The invoice's own period is the previous one, for which usage would be charged.
    periodStartsAt: line.period.start * SECOND_MS,
    periodEndsAt: line.period.end * SECOND_MS,
    createdAt: invoice.created * SECOND_MS,
    url: invoice.hosted_invoice_url ?? null,
  };
}

function toInvoiceStatus(
  { status, payments, total, post_payment_credit_notes_amount: credited }: Stripe.Invoice,
  returned: Set<string | null>,
): ProviderInvoice['status'] | undefined {
  if (status === null || status === 'draft') return undefined;
  if (status === 'open') return 'open';
  if (status !== 'paid') return 'void';
  const paidBy = payments?.data.map(({ payment }) => idOf(payment.payment_intent)) ?? [];
  const isReturned = paidBy.some((id) => id !== null && returned.has(id));
  return isReturned || (total > 0 && credited >= total) ? 'refunded' : 'paid';
}

/** Undefined if nothing is due. `confirmation_secret` must be expanded. */
export function toInvoicePayment(invoice: Stripe.Invoice): ProviderPayment | undefined {
  if (invoice.status !== 'open' || !invoice.confirmation_secret || invoice.amount_remaining <= 0) {
    return undefined;
  }
  const { client_secret: clientSecret } = invoice.confirmation_secret;
  return { clientSecret, intent: 'payment', dueCents: invoice.amount_remaining };
}
