import type Stripe from 'stripe';
import { CARD_EXPAND, findPaymentMethod } from './card.ts';
import { isMissing, isRefused, unlessRefused } from './errors.ts';

export function isOver({ status }: Stripe.Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** Also what waits for a payment is put away: nobody shall pay for what has ended. */
export async function endSubscription(stripe: Stripe, id: string): Promise<void> {
  const subscription = await stripe.subscriptions.retrieve(id);
  if (!isOver(subscription)) await unlessRefused(stripe.subscriptions.cancel(id), isMissing);
  const { data } = await stripe.invoices.list({ subscription: id, status: 'open', limit: 100 });
  for (const { id: invoiceId } of data) await unlessRefused(stripe.invoices.voidInvoice(invoiceId));
  const { pending_setup_intent: setup } = subscription;
  if (setup) await unlessRefused(stripe.setupIntents.cancel(typeof setup === 'string' ? setup : setup.id));
}

/**
 * First what could be confirmed is closed, and only then the subscription ends: Stripe voids no invoice that is
 * paid (or just being paid) and cancels no set-up that has succeeded, so whoever was faster has won.
 */
export async function abandonSubscription(stripe: Stripe, id: string): Promise<boolean> {
  const subscription = await stripe.subscriptions.retrieve(id, {
    expand: ['latest_invoice', ...CARD_EXPAND],
  });
  if (!isOver(subscription) && !(await close(stripe, subscription))) return false;
  await endSubscription(stripe, id);
  return true;
}

/** Whether nobody can confirm it any more, and nobody has. */
async function close(stripe: Stripe, subscription: Stripe.Subscription): Promise<boolean> {
  switch (subscription.status) {
    case 'incomplete':
      return closePayment(stripe, subscription.latest_invoice as Stripe.Invoice | null);
    case 'active':
    case 'trialing':
      return closeSetup(stripe, subscription);
    default:
      // Free months that ended without a card: nothing is open.
      return subscription.status === 'paused';
  }
}

async function closePayment(stripe: Stripe, invoice: Stripe.Invoice | null): Promise<boolean> {
  if (!invoice || invoice.status === 'void') return true;
  return isDone(stripe.invoices.voidInvoice(invoice.id));
}

async function closeSetup(stripe: Stripe, subscription: Stripe.Subscription): Promise<boolean> {
  const setup = subscription.pending_setup_intent as Stripe.SetupIntent | null;
  if (!setup || (await findPaymentMethod(stripe, subscription))) return false;
  return setup.status === 'canceled' || isDone(stripe.setupIntents.cancel(setup.id));
}

/** False when Stripe refuses it as things stand. */
async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}
