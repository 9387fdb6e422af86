import type Stripe from 'stripe';
import { AppError } from '../../lib/app-error.ts';
import type { ProviderPayment } from '../provider.ts';
import { CARD_EXPAND, findPaymentMethod } from './card.ts';
import { findOrCreatePrice, type PlanWish } from './catalog.ts';
import { isOver } from './ending.ts';
import { declined, unlessRefused } from './errors.ts';
import { toInvoicePayment } from './payment.ts';

type Item = Stripe.SubscriptionItem;

/**
 * The new price holds only if the difference is paid: until then it is a pending update, and a declined one is
 * taken back by voiding its invoice. What the card's bank wants confirmed is given to the browser.
 */
export async function upgradeSubscription(
  stripe: Stripe,
  id: string,
  wish: PlanWish,
): Promise<ProviderPayment | null> {
  const { subscription, item } = await getRunning(stripe, id);
  const price = await findOrCreatePrice(stripe, wish);
  if (item.price.id !== price) {
    const updated = await stripe.subscriptions.update(id, {
      items: [{ id: item.id, price }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
      ...(subscription.status === 'trialing' && { trial_end: 'now' as const }),
      expand: ['latest_invoice.confirmation_secret'],
    });
    if (updated.pending_update) return await getConfirmation(stripe, updated);
    // It took nothing off the new price (see `ensureCoupon`); should this fail, it never will.
    if (subscription.discounts.length > 0) await stripe.subscriptions.update(id, { discounts: '' });
  }
  await takeBack(stripe, subscription);
  return null;
}

/**
 * From the next period on, by a schedule of two phases that lets go of the subscription after its second.
 * The card is named in both, or the second would begin without it; the discount is the present plan's.
 */
export async function scheduleTier(stripe: Stripe, id: string, wish: PlanWish | null): Promise<void> {
  const { subscription, item, method } = await getRunning(stripe, id);
  await takeBack(stripe, subscription, wish !== null);
  if (wish === null) return;
  const price = await findOrCreatePrice(stripe, wish);
  if (price === item.price.id) return;
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id });
  const present = schedule.phases[0]!;
  const shared = {
    default_payment_method: method?.id,
    proration_behavior: 'none' as const,
  };
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      {
        ...shared,
        discounts: subscription.discounts.map((discount) => ({ discount: idOf(discount)! })),
        items: [{ price: item.price.id, quantity: 1 }],
        start_date: present.start_date,
        end_date: present.end_date,
        ...(present.trial_end !== null && { trial_end: present.trial_end }),
      },
      {
        ...shared,
        discounts: '',
        items: [{ price, quantity: 1 }],
        duration: { interval: 'month', interval_count: 1 },
      },
    ],
  });
}

export async function setCancelAtPeriodEnd(stripe: Stripe, id: string, isCancelled: boolean): Promise<void> {
  const { subscription } = await getRunning(stripe, id);
  // Stripe refuses to cancel what a schedule governs.
  if (isCancelled) await release(stripe, subscription);
  await stripe.subscriptions.update(id, { cancel_at_period_end: isCancelled });
}

/** Throws AppError `payment_declined` after the update has been taken back. */
async function getConfirmation(stripe: Stripe, updated: Stripe.Subscription): Promise<ProviderPayment> {
  const invoice = updated.latest_invoice as Stripe.Invoice;
  const { data } = await stripe.invoicePayments.list({
    invoice: invoice.id,
    limit: 1,
    expand: ['data.payment.payment_intent'],
  });
  const intent = data[0]?.payment.payment_intent as Stripe.PaymentIntent | undefined;
  const payment = toInvoicePayment(invoice);
  if (payment && intent?.status === 'requires_action') return payment;
  await unlessRefused(stripe.invoices.voidInvoice(invoice.id));
  throw declined(intent?.last_payment_error?.message);
}

/** Throws AppError `payment_not_found` for what has not begun or has ended. */
async function getRunning(
  stripe: Stripe,
  id: string,
): Promise<{ subscription: Stripe.Subscription; item: Item; method: Stripe.PaymentMethod | undefined }> {
  const subscription = await stripe.subscriptions.retrieve(id, { expand: CARD_EXPAND });
  const item = subscription.items.data[0];
  if (!item || isOver(subscription) || subscription.status === 'incomplete') {
    throw new AppError('payment_not_found');
  }
  return { subscription, item, method: await findPaymentMethod(stripe, subscription) };
}

/** Neither a schedule nor (unless told) a cancellation remains. */
async function takeBack(stripe: Stripe, subscription: Stripe.Subscription, alsoCancellation = true) {
  await release(stripe, subscription);
  if (alsoCancellation && subscription.cancel_at_period_end) {
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
  }
}

async function release(stripe: Stripe, { schedule }: Stripe.Subscription): Promise<void> {
  const id = idOf(schedule);
  if (id) await unlessRefused(stripe.subscriptionSchedules.release(id));
}

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
