import type Stripe from 'stripe';
import { SECOND_MS } from '../../lib/clock.ts';
import type { ProviderInvoice, ProviderPayment } from '../provider.ts';
import { tierOfProduct } from './catalog.ts';
import { toInvoicePayment, toPayment } from './payment.ts';

/** Stripe's largest page. */
const PAGE = 100;

/** What is owed, the newest first; else what a subscription that has been begun waits for. */
export async function findOpenPayment(stripe: Stripe, id: string): Promise<ProviderPayment | undefined> {
  const subscription = await stripe.subscriptions.retrieve(id, {
    expand: ['latest_invoice.confirmation_secret', 'pending_setup_intent'],
  });
  if (subscription.status === 'canceled' || subscription.status === 'incomplete_expired') return undefined;
  if (subscription.pending_update) return undefined;
  const payment = toPayment(subscription);
  const needsCard = payment?.intent === 'setup' && subscription.default_payment_method === null;
  if (payment?.intent === 'payment' || needsCard) return payment;
  const { data } = await stripe.invoices.list({
    subscription: id,
    status: 'open',
    limit: PAGE,
    expand: ['data.confirmation_secret'],
  });
  return data.map(toInvoicePayment).find((open) => open !== undefined);
}

/**
 * Invoices with something to pay; those of free months are Stripe's book-keeping. What was paid is on the
 * charges: an invoice does not say that its money went back.
 */
export async function listInvoices(stripe: Stripe, customerId: string): Promise<ProviderInvoice[]> {
  const [invoices, charges] = await Promise.all([
    stripe.invoices.list({ customer: customerId, limit: PAGE, expand: ['data.payments'] }),
    stripe.charges.list({ customer: customerId, limit: PAGE }),
  ]);
  const givenBack = new Set(
    charges.data
      .filter(({ refunded, disputed }) => refunded || disputed)
      .map(({ payment_intent }) => idOf(payment_intent)),
  );
  return invoices.data.flatMap((invoice) => toInvoice(invoice, givenBack) ?? []);
}

function toInvoice(invoice: Stripe.Invoice, givenBack: Set<string | null>): ProviderInvoice | undefined {
  const line = invoice.lines.data.toSorted((one, other) => other.amount - one.amount)[0];
  const product = line?.pricing?.price_details?.product;
  const tier = product && tierOfProduct(product);
  const status = toInvoiceStatus(invoice, givenBack);
  const amountCents = invoice.status === 'paid' ? invoice.amount_paid : invoice.amount_due;
  if (!line || !tier || !status || amountCents <= 0) return undefined;
  return {
    id: invoice.id,
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription ?? null),
    tier,
    number: invoice.number,
    status,
    amountCents,
    // The invoice's own period is the one before, of which usage would be charged.
    periodStartsAt: line.period.start * SECOND_MS,
    periodEndsAt: line.period.end * SECOND_MS,
    createdAt: invoice.created * SECOND_MS,
    url: invoice.hosted_invoice_url ?? null,
  };
}

function toInvoiceStatus(
  { status, payments, total, post_payment_credit_notes_amount: credited }: Stripe.Invoice,
  givenBack: Set<string | null>,
): ProviderInvoice['status'] | undefined {
  if (status === null || status === 'draft') return undefined;
  if (status === 'open') return 'open';
  if (status !== 'paid') return 'void';
  const paidBy = payments?.data.map(({ payment }) => idOf(payment.payment_intent ?? null)) ?? [];
  const isGivenBack = paidBy.some((id) => id !== null && givenBack.has(id));
  return isGivenBack || (total > 0 && credited >= total) ? 'refunded' : 'paid';
}

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
