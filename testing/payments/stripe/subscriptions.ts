import { DAY_MS, SECOND_MS } from '../../../server/platform/lib/clock.ts';
import { charge } from './charging.ts';
import { createInvoice, discounted, finalize, openInvoicesOf, voidInvoice } from './invoices.ts';
import type { Discount, SetupIntent, Subscription } from './objects.ts';
import type { Shop } from './shop.ts';
import { endOfPeriod, proposeUpdate } from './updates.ts';
import { noSuch, Refusal, refused } from './wire.ts';

export type NewSubscription = {
  customer: string;
  items: { price: string }[];
  discounts?: { coupon: string }[];
  trial_end?: string;
  metadata?: Record<string, string>;
};

const LONGEST_TRIAL_SECONDS = (730 * DAY_MS) / SECOND_MS;

/** As with `payment_behavior: default_incomplete`, the only one that is known here. */
export function createSubscription(shop: Shop, wish: NewSubscription): Subscription {
  const now = shop.now();
  const customer = shop.get('customer', wish.customer, 'customer');
  const price = getActivePrice(shop, wish.items[0]!.price);
  const trialEnd = wish.trial_end === undefined ? null : Number(wish.trial_end);
  if (trialEnd !== null && (trialEnd <= now || trialEnd > now + LONGEST_TRIAL_SECONDS)) {
    throw refused('Invalid timestamp: trial_end must be in the future, at most 730 days ahead');
  }
  const id = shop.newId('subscription');
  const end = trialEnd ?? endOfPeriod(now, now);
  const subscription = shop.add<Subscription>({
    id,
    object: 'subscription',
    created: now,
    billing_cycle_anchor: trialEnd ?? now,
    cancel_at_period_end: false,
    canceled_at: null,
    customer: customer.id,
    default_payment_method: null,
    discounts: (wish.discounts ?? []).map(({ coupon }) => addDiscount(shop, id, coupon)),
    ended_at: null,
    items: { object: 'list', has_more: false, url: `/v1/subscription_items?subscription=${id}`, data: [] },
    latest_invoice: null,
    metadata: wish.metadata ?? {},
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    status: trialEnd === null ? 'incomplete' : 'trialing',
    trial_start: trialEnd && now,
    trial_end: trialEnd,
  });
  subscription.items.data.push({
    id: shop.newId('item'),
    object: 'subscription_item',
    current_period_start: now,
    current_period_end: end,
    price,
    quantity: 1,
    subscription: id,
  });
  const amount = trialEnd === null ? discounted(shop, subscription, price) : 0;
  const lines = [{ amount, price, period: { start: now, end } }];
  const invoice = createInvoice(shop, subscription, { lines, reason: 'subscription_create' });
  finalize(shop, invoice);
  if (amount === 0) {
    if (trialEnd === null) subscription.status = 'active';
    subscription.pending_setup_intent = addSetupIntent(shop, customer.id).id;
  }
  shop.emit('customer.subscription.created', subscription);
  return subscription;
}

export type SubscriptionUpdate = {
  items?: { id: string; price: string }[];
  trial_end?: 'now';
  cancel_at_period_end?: string;
  default_payment_method?: string;
  discounts?: '';
  payment_behavior?: string;
  proration_behavior?: string;
};

export function updateSubscription(shop: Shop, subscription: Subscription, wish: SubscriptionUpdate): void {
  if (isOver(subscription)) {
    throw refused('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (wish.items) changePrice(shop, subscription, wish);
  if (wish.cancel_at_period_end !== undefined) {
    if (subscription.schedule) {
      throw refused(
        `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
      );
    }
    subscription.cancel_at_period_end = wish.cancel_at_period_end === 'true';
    subscription.canceled_at = subscription.cancel_at_period_end ? shop.now() : null;
  }
  if (wish.discounts === '') subscription.discounts = [];
  if (wish.default_payment_method !== undefined) {
    const method = shop.get('payment_method', wish.default_payment_method, 'default_payment_method');
    if (method.customer !== subscription.customer) {
      throw noSuch('PaymentMethod', method.id, 'default_payment_method');
    }
    subscription.default_payment_method = method.id;
  }
  shop.emit('customer.subscription.updated', subscription);
}

function changePrice(shop: Shop, subscription: Subscription, wish: SubscriptionUpdate): void {
  const item = subscription.items.data[0]!;
  const [change] = wish.items!;
  if (change?.id !== item.id) throw noSuch('subscription item', String(change?.id), 'items[0][id]');
  if (wish.payment_behavior !== 'pending_if_incomplete' || wish.proration_behavior !== 'always_invoice') {
    throw new Error('The fake knows no other way to change a price');
  }
  // https://docs.stripe.com/billing/subscriptions/pending-updates-reference: what else may not be sent along.
  const others = [wish.cancel_at_period_end, wish.default_payment_method, wish.discounts];
  if (others.some((other) => other !== undefined)) {
    throw refused('You can only pass parameters that pending updates support with pending_if_incomplete.');
  }
  if (subscription.pending_update) voidInvoice(shop, shop.get('invoice', subscription.latest_invoice));
  const price = getActivePrice(shop, change.price);
  if (price.id === item.price.id) return;
  const invoice = proposeUpdate(shop, subscription, { price, endsTrial: wish.trial_end === 'now' });
  charge(shop, invoice);
}

/** At once and for good; `wasExpired` when nobody paid its first invoice in time. */
export function cancelSubscription(shop: Shop, subscription: Subscription, wasExpired = false): void {
  if (isOver(subscription)) throw noSuch('subscription', subscription.id);
  const schedule = shop.find('subscription_schedule', subscription.schedule);
  if (schedule) schedule.status = 'canceled';
  subscription.status = wasExpired ? 'incomplete_expired' : 'canceled';
  subscription.canceled_at ??= shop.now();
  subscription.ended_at = shop.now();
  subscription.schedule = null;
  for (const invoice of openInvoicesOf(shop, subscription.id)) {
    invoice.auto_advance = false;
    invoice.next_payment_attempt = null;
    if (wasExpired) voidInvoice(shop, invoice);
  }
  for (const draft of shop.list('invoice').filter((invoice) => isDraftOf(invoice, subscription.id))) {
    draft.automatically_finalizes_at = null;
  }
  shop.emit(`customer.subscription.${wasExpired ? 'updated' : 'deleted'}`, subscription);
}

function isDraftOf(
  { status, parent }: { status: string; parent: { subscription_details: { subscription: string } } },
  id: string,
): boolean {
  return status === 'draft' && parent.subscription_details.subscription === id;
}

export function isOver({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

function getActivePrice(shop: Shop, id: string) {
  const price = shop.get('price', id, 'items[0][price]');
  if (!price.active) throw new Refusal(400, { message: 'The price specified is inactive.' });
  return price;
}

function addDiscount(shop: Shop, subscription: string, coupon: string): string {
  const { id } = shop.get('coupon', coupon, 'discounts[0][coupon]');
  const discount: Discount = {
    id: shop.newId('discount'),
    object: 'discount',
    source: { type: 'coupon', coupon: id },
    subscription,
  };
  return shop.add(discount).id;
}

function addSetupIntent(shop: Shop, customer: string): SetupIntent {
  const id = shop.newId('setup_intent');
  return shop.add<SetupIntent>({
    id,
    object: 'setup_intent',
    created: shop.now(),
    client_secret: `${id}_secret_${shop.newId('line').slice(3)}`,
    customer,
    payment_method: null,
    status: 'requires_payment_method',
  });
}
