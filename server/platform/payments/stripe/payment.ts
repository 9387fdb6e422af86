import type Stripe from 'stripe';
import type { ProviderPayment } from '../provider.ts';

/**
 * What is to be confirmed of a subscription whose `latest_invoice.confirmation_secret` and
 * `pending_setup_intent` are expanded; undefined when nothing is.
 */
export function toPayment(subscription: Stripe.Subscription): ProviderPayment | undefined {
  const { latest_invoice: invoice, pending_setup_intent: setup } = subscription;
  const payment = invoice && typeof invoice === 'object' && toInvoicePayment(invoice);
  if (payment) return payment;
  if (!setup || typeof setup === 'string' || !setup.client_secret) return undefined;
  if (setup.status === 'succeeded' || setup.status === 'canceled') return undefined;
  return { clientSecret: setup.client_secret, intent: 'setup', dueCents: 0 };
}

/** Undefined when nothing is owed for it. */
export function toInvoicePayment(invoice: Stripe.Invoice): ProviderPayment | undefined {
  if (invoice.status !== 'open' || !invoice.confirmation_secret || invoice.amount_remaining <= 0) {
    return undefined;
  }
  const { client_secret: clientSecret } = invoice.confirmation_secret;
  return { clientSecret, intent: 'payment', dueCents: invoice.amount_remaining };
}
