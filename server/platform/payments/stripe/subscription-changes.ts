import type Stripe from 'stripe';
import { AppError } from '../../lib/app-error.ts';
import type { ProviderPayment } from '../provider.ts';
import { findOrCreatePrice, type Plan } from './catalog.ts';
import { declined, ignoreRefusal, isMissing, isRefused } from './errors.ts';
import { toInvoicePayment } from './invoices.ts';
import { idOf } from './references.ts';
import { CARD_FIELDS, findPaymentMethod, isOver } from './subscriptions.ts';

/**
 * The new price is a pending update at Stripe until the difference is paid. A declined update is undone by
 * voiding its invoice. Returns the payment if the bank asks for a confirmation.
 */
export async function upgradeSubscription(
  stripe: Stripe,
  id: string,
  plan: Plan,
): Promise<ProviderPayment | null> {
  const { subscription, item } = await getRunning(stripe, id);
  const price = await findOrCreatePrice(stripe, plan);
  if (item.price.id !== price) {
    const updated = await stripe.subscriptions.update(id, {
      items: [{ id: item.id, price }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
      ...(subscription.status === 'trialing' && { trial_end: 'now' as const }),
      expand: ['latest_invoice.confirmation_secret'],
    });
    if (updated.pending_update) return await getConfirmation(stripe, updated);
    if (subscription.discounts.length > 0) await stripe.subscriptions.update(id, { discounts: '' });
  }
  await releaseSchedule(stripe, subscription);
  await revokeCancellation(stripe, subscription);
  return null;
}

/** Throws AppError `payment_declined` after undoing the update. */
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
  await ignoreRefusal(stripe.invoices.voidInvoice(invoice.id));
  throw declined(intent?.last_payment_error?.message);
}

/**
 * Uses a schedule of two phases; null revokes it. Both phases name the card, or the second would start
 * without one. Only the first has the discount.
 */
export async function scheduleTier(stripe: Stripe, id: string, plan: Plan | null): Promise<void> {
  const { subscription, item, method } = await getRunning(stripe, id);
  await releaseSchedule(stripe, subscription);
  if (plan === null) return;
  await revokeCancellation(stripe, subscription);
  const price = await findOrCreatePrice(stripe, plan);
  if (price === item.price.id) return;
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id });
  const current = schedule.phases[0]!;
  const shared = { default_payment_method: method?.id, proration_behavior: 'none' as const };
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      {
        ...shared,
        discounts: subscription.discounts.map((discount) => ({ discount: idOf(discount) })),
        items: [{ price: item.price.id, quantity: 1 }],
        start_date: current.start_date,
        end_date: current.end_date,
        ...(current.trial_end !== null && { trial_end: current.trial_end }),
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
  // Stripe refuses to cancel a subscription that a schedule manages.
  if (isCancelled) await releaseSchedule(stripe, subscription);
  await stripe.subscriptions.update(id, { cancel_at_period_end: isCancelled });
}

/** Throws AppError `payment_not_found` unless it is running. */
async function getRunning(
  stripe: Stripe,
  id: string,
): Promise<{
  subscription: Stripe.Subscription;
  item: Stripe.SubscriptionItem;
  method: Stripe.PaymentMethod | undefined;
}> {
  const subscription = await stripe.subscriptions.retrieve(id, { expand: CARD_FIELDS });
  const item = subscription.items.data[0];
  if (!item || isOver(subscription) || subscription.status === 'incomplete') {
    throw new AppError('payment_not_found');
  }
  return { subscription, item, method: await findPaymentMethod(stripe, subscription) };
}

async function revokeCancellation(stripe: Stripe, subscription: Stripe.Subscription): Promise<void> {
  if (!subscription.cancel_at_period_end) return;
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
}

async function releaseSchedule(stripe: Stripe, { schedule }: Stripe.Subscription): Promise<void> {
  const id = idOf(schedule);
  if (id) await ignoreRefusal(stripe.subscriptionSchedules.release(id));
}

/** Closes open payments too, so that nobody pays for an ended subscription. */
export async function endSubscription(stripe: Stripe, id: string): Promise<void> {
  const subscription = await stripe.subscriptions.retrieve(id);
  if (!isOver(subscription)) await ignoreRefusal(stripe.subscriptions.cancel(id), isMissing);
  const { data } = await stripe.invoices.list({ subscription: id, status: 'open', limit: 100 });
  for (const { id: invoiceId } of data) await ignoreRefusal(stripe.invoices.voidInvoice(invoiceId));
  const setupId = idOf(subscription.pending_setup_intent);
  if (setupId) await ignoreRefusal(stripe.setupIntents.cancel(setupId));
}

/**
 * Closes the payment or set-up first: Stripe refuses to void a paid invoice and to cancel a completed set-up,
 * so a customer who confirms first keeps the subscription. Returns false then.
 */
export async function abandonSubscription(stripe: Stripe, id: string): Promise<boolean> {
  const subscription = await stripe.subscriptions.retrieve(id, {
    expand: ['latest_invoice', ...CARD_FIELDS],
  });
  if (!isOver(subscription) && !(await closeAttempt(stripe, subscription))) return false;
  await endSubscription(stripe, id);
  return true;
}

/** True if the attempt was not confirmed and no longer can be. */
async function closeAttempt(stripe: Stripe, subscription: Stripe.Subscription): Promise<boolean> {
  switch (subscription.status) {
    case 'incomplete':
      return closePayment(stripe, subscription.latest_invoice as Stripe.Invoice | null);
    case 'active':
    case 'trialing':
      return closeSetup(stripe, subscription);
    default:
      // A paused subscription had free months and no card: nothing is open.
      return subscription.status === 'paused';
  }
}

async function closePayment(stripe: Stripe, invoice: Stripe.Invoice | null): Promise<boolean> {
  if (!invoice || invoice.status === 'void') return true;
  return isAccepted(stripe.invoices.voidInvoice(invoice.id));
}

async function closeSetup(stripe: Stripe, subscription: Stripe.Subscription): Promise<boolean> {
  const setup = subscription.pending_setup_intent as Stripe.SetupIntent | null;
  if (!setup || (await findPaymentMethod(stripe, subscription))) return false;
  return setup.status === 'canceled' || isAccepted(stripe.setupIntents.cancel(setup.id));
}

async function isAccepted(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}
