import type Stripe from 'stripe';
import { SECOND_MS } from '../../lib/clock.ts';
import type { ProviderStatus, ProviderSubscription } from '../provider.ts';
import { CARD_EXPAND, findPaymentMethod } from './card.ts';
import { tierOfProduct } from './catalog.ts';
import { isMissing } from './errors.ts';

const EXPAND = [...CARD_EXPAND, 'discounts.source.coupon.applies_to', 'schedule.phases.items.price'];

/** Undefined when Stripe does not know it, or when it is not for one of our plans. */
export async function findSubscription(
  stripe: Stripe,
  id: string,
): Promise<ProviderSubscription | undefined> {
  const subscription = await retrieve(stripe, id);
  const item = subscription?.items.data[0];
  const tier = item && tierOfProduct(item.price.product);
  if (!subscription || !item || !tier) return undefined;
  const method = await findPaymentMethod(stripe, subscription);
  const status = toStatus(subscription, method !== undefined);
  const isOwing = status === 'past_due';
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer),
    tier,
    status,
    priceCents: item.price.unit_amount ?? 0,
    discountPercent: toPercent(subscription, item),
    periodStartsAt: item.current_period_start * SECOND_MS,
    periodEndsAt: item.current_period_end * SECOND_MS,
    freeUntil: isInTrial(subscription) ? subscription.trial_end * SECOND_MS : null,
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    scheduled: findScheduled(subscription, item.current_period_end),
    card: method?.card ? { brand: method.card.brand, last4: method.card.last4 } : null,
    failedAt: isOwing ? await findFailure(stripe, id, item.current_period_start) : null,
    endedAt: toEnd(subscription, status),
  };
}

/** Throws what Stripe answers for an unknown id. */
async function retrieve(stripe: Stripe, id: string): Promise<Stripe.Subscription | undefined> {
  try {
    return await stripe.subscriptions.retrieve(id, { expand: EXPAND });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * 'active' and 'trialing' are Stripe's word also for what costs nothing yet and whose card has not been taken:
 * such a subscription is not begun. Unpaid can still be paid; a paused one entitles to nothing until it is resumed.
 */
function toStatus({ status, pending_setup_intent }: Stripe.Subscription, hasMethod: boolean): ProviderStatus {
  const isBegun = hasMethod || pending_setup_intent === null;
  switch (status) {
    case 'active':
      return isBegun ? 'active' : 'incomplete';
    case 'trialing':
      return isBegun ? 'trialing' : 'incomplete';
    case 'past_due':
    case 'unpaid':
      return 'past_due';
    case 'canceled':
    case 'incomplete_expired':
      return 'ended';
    default:
      return 'incomplete';
  }
}

/** What is taken off the present plan: a discount may have stayed that is another's. */
function toPercent({ discounts }: Stripe.Subscription, { price }: Stripe.SubscriptionItem): number {
  const [discount] = discounts;
  const coupon = typeof discount === 'object' ? discount.source.coupon : null;
  if (!coupon || typeof coupon === 'string') return 0;
  const { products } = coupon.applies_to ?? {};
  return !products || products.includes(idOf(price.product)) ? Math.round(coupon.percent_off ?? 0) : 0;
}

function isInTrial(
  subscription: Stripe.Subscription,
): subscription is Stripe.Subscription & { trial_end: number } {
  return subscription.status === 'trialing' && subscription.trial_end !== null;
}

function findScheduled(
  { schedule }: Stripe.Subscription,
  periodEnd: number,
): ProviderSubscription['scheduled'] {
  if (!schedule || typeof schedule === 'string' || schedule.status !== 'active') return null;
  const next = schedule.phases.find(({ start_date }) => start_date >= periodEnd);
  const price = next?.items[0]?.price;
  if (!price || typeof price === 'string' || price.deleted) return null;
  const tier = tierOfProduct(price.product);
  return tier ? { tier, priceCents: price.unit_amount ?? 0 } : null;
}

/** A renewal is charged when its invoice is finalized, so that is when a payment failed first. */
async function findFailure(stripe: Stripe, id: string, periodStart: number): Promise<number> {
  const { data } = await stripe.invoices.list({ subscription: id, status: 'open', limit: 100 });
  const since = data.map((invoice) => invoice.status_transitions.finalized_at ?? invoice.created);
  return Math.min(...(since.length > 0 ? since : [periodStart])) * SECOND_MS;
}

function toEnd({ ended_at, canceled_at, created }: Stripe.Subscription, status: ProviderStatus) {
  return status === 'ended' ? (ended_at ?? canceled_at ?? created) * SECOND_MS : null;
}

function idOf(reference: string | { id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
