import type Stripe from 'stripe';

/** What `findPaymentMethod` wants to be expanded. */
export const CARD_EXPAND = [
  'default_payment_method',
  'customer.invoice_settings.default_payment_method',
  'pending_setup_intent.payment_method',
];

/**
 * What renewals are charged to. A card that was set up without a payment may have been attached to the customer
 * only; it is made the subscription's own, or the end of the free months would not find it.
 */
export async function findPaymentMethod(
  stripe: Stripe,
  { id, status, customer, default_payment_method, pending_setup_intent: setup }: Stripe.Subscription,
): Promise<Stripe.PaymentMethod | undefined> {
  if (default_payment_method && typeof default_payment_method === 'object') return default_payment_method;
  if (setup && typeof setup === 'object' && setup.status === 'succeeded' && setup.payment_method) {
    const method = setup.payment_method as Stripe.PaymentMethod;
    if (status === 'trialing' || status === 'active') {
      await stripe.subscriptions.update(id, { default_payment_method: method.id });
    }
    return method;
  }
  if (typeof customer === 'string' || customer.deleted) return undefined;
  const method = customer.invoice_settings.default_payment_method;
  return method && typeof method === 'object' ? method : undefined;
}
