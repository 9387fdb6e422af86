import type Stripe from 'stripe';
import { DAY_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import { addMonths } from '../calculations.ts';
import type {
  Discount,
  PaymentProvider,
  ProviderPayment,
  ProviderStatus,
  ProviderSubscription,
} from '../provider.ts';
import { ensureCoupon, findOrCreatePrice, tierOfProduct } from './catalog.ts';
import { isMissing, isUsedKey } from './errors.ts';
import { toInvoicePayment } from './invoices.ts';
import { idOf } from './references.ts';

type Wish = Parameters<PaymentProvider['startSubscription']>[0];

/** Stripe's maximum. */
const LONGEST_TRIAL_MS = 730 * DAY_MS;

/** Expanded for `toPayment`. */
const PAYMENT_FIELDS = ['latest_invoice.confirmation_secret', 'pending_setup_intent'];

/** Expanded for `findPaymentMethod`. */
export const CARD_FIELDS = [
  'default_payment_method',
  'customer.invoice_settings.default_payment_method',
  'pending_setup_intent.payment_method',
];

export async function startSubscription(
  stripe: Stripe,
  clock: Clock,
  wish: Wish,
): Promise<ProviderPayment & { subscriptionId: string }> {
  const subscription = await createOnce(stripe, wish, {
    customer: wish.customerId,
    items: [{ price: await findOrCreatePrice(stripe, wish) }],
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription', payment_method_types: ['card'] },
    metadata: { tier: wish.tier, key: wish.key },
    ...(wish.discount && (await toDiscount(stripe, wish.tier, wish.discount, clock.now()))),
    expand: PAYMENT_FIELDS,
  });
  const payment = toPayment(subscription) ?? { clientSecret: '', intent: 'setup', dueCents: 0 };
  return { ...payment, subscriptionId: subscription.id };
}

async function toDiscount(
  stripe: Stripe,
  tier: Wish['tier'],
  { percent, freeMonths, code }: Discount,
  now: number,
): Promise<Partial<Stripe.SubscriptionCreateParams>> {
  return {
    ...(percent > 0 && { discounts: [{ coupon: await ensureCoupon(stripe, { code, percent, tier }) }] }),
    ...(freeMonths > 0 && {
      trial_end: Math.floor(Math.min(addMonths(now, freeMonths), now + LONGEST_TRIAL_MS) / SECOND_MS),
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    }),
  };
}

/**
 * The end of free months moves with the clock, so a repeated call has other parameters under the same key,
 * which Stripe refuses. Then the subscription is found by its metadata.
 */
async function createOnce(
  stripe: Stripe,
  { key, customerId }: Wish,
  parameters: Stripe.SubscriptionCreateParams,
): Promise<Stripe.Subscription> {
  try {
    return await stripe.subscriptions.create(parameters, { idempotencyKey: `subscription:${key}` });
  } catch (error) {
    if (!isUsedKey(error)) throw error;
    const { data } = await stripe.subscriptions.list({
      customer: customerId,
      status: 'all',
      limit: 100,
      expand: PAYMENT_FIELDS.map((path) => `data.${path}`),
    });
    const existing = data.find(({ metadata }) => metadata.key === key);
    if (!existing) throw error;
    return existing;
  }
}

/** Undefined for an unknown id, or a subscription of another shop. */
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
    failedAt: status === 'past_due' ? await findFailure(stripe, id, item.current_period_start) : null,
    endedAt: toEnd(subscription, status),
  };
}

async function retrieve(stripe: Stripe, id: string): Promise<Stripe.Subscription | undefined> {
  const expand = [...CARD_FIELDS, 'discounts.source.coupon.applies_to', 'schedule.phases.items.price'];
  try {
    return await stripe.subscriptions.retrieve(id, { expand });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Stripe's 'active' or 'trialing' without a card is incomplete for us. 'unpaid' can still be paid; 'paused'
 * entitles to nothing until resumed.
 */
function toStatus({ status, pending_setup_intent }: Stripe.Subscription, hasMethod: boolean): ProviderStatus {
  const isConfirmed = hasMethod || pending_setup_intent === null;
  switch (status) {
    case 'active':
      return isConfirmed ? 'active' : 'incomplete';
    case 'trialing':
      return isConfirmed ? 'trialing' : 'incomplete';
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

/** A discount of an earlier plan does not apply to the current one. */
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

/** Stripe charges a renewal when it finalizes the invoice. */
async function findFailure(stripe: Stripe, id: string, periodStart: number): Promise<number> {
  const { data } = await stripe.invoices.list({ subscription: id, status: 'open', limit: 100 });
  const since = data.map((invoice) => invoice.status_transitions.finalized_at ?? invoice.created);
  return Math.min(...(since.length > 0 ? since : [periodStart])) * SECOND_MS;
}

function toEnd({ ended_at, canceled_at, created }: Stripe.Subscription, status: ProviderStatus) {
  return status === 'ended' ? (ended_at ?? canceled_at ?? created) * SECOND_MS : null;
}

export function isOver({ status }: Stripe.Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/**
 * The payment method of renewals. A card set up without a payment may be attached to the customer only; this
 * attaches it to the subscription, or the end of the free months would not find it.
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

/** The newest due payment, else the first payment or card that the subscription waits for. */
export async function findOpenPayment(stripe: Stripe, id: string): Promise<ProviderPayment | undefined> {
  const subscription = await stripe.subscriptions.retrieve(id, { expand: PAYMENT_FIELDS });
  if (isOver(subscription) || subscription.pending_update) return undefined;
  const payment = toPayment(subscription);
  const needsCard = payment?.intent === 'setup' && subscription.default_payment_method === null;
  if (payment?.intent === 'payment' || needsCard) return payment;
  const { data } = await stripe.invoices.list({
    subscription: id,
    status: 'open',
    limit: 100,
    expand: ['data.confirmation_secret'],
  });
  return data.map(toInvoicePayment).find((open) => open !== undefined);
}

/** `PAYMENT_FIELDS` must be expanded. */
function toPayment(subscription: Stripe.Subscription): ProviderPayment | undefined {
  const { latest_invoice: invoice, pending_setup_intent: setup } = subscription;
  const payment = invoice && typeof invoice === 'object' && toInvoicePayment(invoice);
  if (payment) return payment;
  if (!setup || typeof setup === 'string' || !setup.client_secret) return undefined;
  if (setup.status === 'succeeded' || setup.status === 'canceled') return undefined;
  return { clientSecret: setup.client_secret, intent: 'setup', dueCents: 0 };
}
