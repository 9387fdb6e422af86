import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import {
  advance,
  amountOf,
  begin,
  end,
  nextEventAt,
  quoteUpgrade,
  restOfPeriod,
} from '../../../server/platform/payments/demo/lifecycle.ts';
import type { StripeAccount } from './account.ts';
import { addInvoice, applyUpgrade, pay, setCard, voidInvoice } from './payments.ts';
import {
  currentSchedule,
  DRAFT_MS,
  isExpired,
  planOf,
  RETRIES_MS,
  STRIPE_TERMS,
  type Subscription,
} from './records.ts';
import { newHex, noSuch, refused, unsupported, type Wire } from './wire.ts';

const UPGRADE_EXPIRES_MS = 23 * HOUR_MS;
const LONGEST_TRIAL_MS = 730 * DAY_MS;

type NewSubscription = {
  customer: string;
  items: { price: string }[];
  discounts?: { coupon: string }[];
  trial_end?: string;
  payment_behavior?: string;
  metadata?: Record<string, string>;
};

export function createSubscription(account: StripeAccount, wish: NewSubscription): { id: string } {
  const now = account.now();
  if (wish.payment_behavior !== 'default_incomplete') {
    throw refused('This customer has no attached payment source');
  }
  const customer = account.get('customer', wish.customer, 'customer');
  const price = getActivePrice(account, wish.items[0]!.price);
  const freeUntil = wish.trial_end === undefined ? null : Number(wish.trial_end) * SECOND_MS;
  if (freeUntil !== null && (freeUntil <= now || freeUntil > now + LONGEST_TRIAL_MS)) {
    throw refused('Invalid timestamp: trial_end must be in the future, at most 730 days ahead');
  }
  const hex = newHex();
  const id = `sub_${hex}`;
  const coupon = wish.discounts && getCoupon(account, wish.discounts[0]!.coupon, price);
  const { row, charges } = begin(
    { id, customerId: customer.id, clientSecret: `seti_${hex}_secret_${newHex()}` },
    { ...planOf(price), discountPercent: coupon?.percent_off ?? 0, freeUntil },
    now,
  );
  const discount =
    coupon &&
    account.add({ id: `di_${hex}`, object: 'discount', source: { type: 'coupon', coupon: coupon.id } });
  const subscription: Subscription = {
    row,
    invoices: [],
    metadata: wish.metadata ?? {},
    discountId: discount?.id ?? null,
    setup: charges.length === 0 ? { status: 'requires_payment_method', cardLast4: null } : null,
    upgrade: null,
    schedules: [],
    isCanceled: false,
    passedAt: now,
    published: new Map(),
  };
  account.subscriptions.push(subscription);
  addInvoice(account, subscription, { charge: charges[0], reason: 'subscription_create' });
  account.publish(subscription);
  return { id };
}

type SubscriptionUpdate = {
  items?: { id: string; price: string }[];
  trial_end?: 'now';
  cancel_at_period_end?: string;
  default_payment_method?: string;
  discounts?: '';
  payment_behavior?: string;
  proration_behavior?: string;
};

export function updateSubscription(account: StripeAccount, id: string, wish: SubscriptionUpdate): void {
  const subscription = account.getSubscription(id);
  const { row } = subscription;
  if (row.status === 'ended') {
    throw refused('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (wish.items) changePrice(account, subscription, wish);
  if (wish.cancel_at_period_end !== undefined) {
    const schedule = currentSchedule(subscription);
    if (schedule) {
      throw refused(
        `The subscription is managed by the subscription schedule \`${schedule.id}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
      );
    }
    subscription.row = {
      ...subscription.row,
      cancelAtPeriodEnd: wish.cancel_at_period_end === 'true' ? 1 : 0,
    };
  }
  if (wish.discounts === '') {
    subscription.discountId = null;
    subscription.row = { ...subscription.row, discountPercent: 0 };
  }
  if (wish.default_payment_method !== undefined) {
    const method = account.get('payment_method', wish.default_payment_method, 'default_payment_method');
    if (method.customer !== row.customerId) {
      throw noSuch('PaymentMethod', method.id, 'default_payment_method');
    }
    setCard(account, subscription, method.card!.last4!);
  }
  account.publish(subscription);
}

function changePrice(account: StripeAccount, subscription: Subscription, wish: SubscriptionUpdate): void {
  const { row } = subscription;
  const [item] = wish.items!;
  const itemId = row.id.replace('sub_', 'si_');
  if (item?.id !== itemId) throw noSuch('subscription item', String(item?.id), 'items[0][id]');
  if (wish.payment_behavior !== 'pending_if_incomplete' || wish.proration_behavior !== 'always_invoice') {
    throw unsupported('a change of the price without a pending update');
  }
  // https://docs.stripe.com/billing/subscriptions/pending-updates-reference
  const others = [wish.cancel_at_period_end, wish.default_payment_method, wish.discounts];
  if (others.some((other) => other !== undefined)) {
    throw refused('You can only pass parameters that pending updates support with pending_if_incomplete.');
  }
  if (subscription.upgrade) voidInvoice(account, subscription.upgrade.invoiceId);
  const price = getActivePrice(account, item.price);
  const plan = planOf(price);
  if (plan.tier === row.tier && plan.priceCents === row.priceCents) return;
  const endsTrial = row.status === 'trialing';
  if (endsTrial !== (wish.trial_end === 'now')) throw unsupported('a change of the price within a trial');
  refuseDiscountOn(account, subscription, price);
  const now = account.now();
  const quote = quoteUpgrade(row, plan, now);
  const credited = endsTrial ? 0 : Math.round(amountOf(row) * restOfPeriod(row, now));
  const invoice = addInvoice(account, subscription, {
    charge: quote.charges[0] && { ...quote.charges[0], status: 'open' },
    reason: 'subscription_update',
    credit: endsTrial ? null : { tier: row.tier, priceCents: row.priceCents, amountCents: credited },
  });
  const expiresAt = now + UPGRADE_EXPIRES_MS;
  subscription.upgrade = { row: quote.row, endsTrial, invoiceId: invoice.id, expiresAt };
  account.publish(subscription);
  if (invoice.status === 'paid') applyUpgrade(subscription);
  else if (row.cardLast4 !== null && STRIPE_TERMS.canChargeLater(row.cardLast4)) {
    pay(account, { subscription, invoice }, row.cardLast4);
  } else invoice.attempts += 1;
}

/** Ends a subscription immediately. As at Stripe, its open invoices can still be paid. */
export function cancelSubscription(account: StripeAccount, id: string): void {
  const subscription = account.getSubscription(id);
  if (subscription.row.status === 'ended') throw noSuch('subscription', subscription.row.id);
  subscription.row = end(subscription.row, account.now());
  subscription.isCanceled = true;
  account.publish(subscription);
}

/** The next moment at which the subscription or one of its invoices changes, or infinity. */
export function nextMoment({ row, invoices, upgrade, passedAt }: Subscription): number {
  const attempts = invoices
    .filter(({ reason, status }) => reason === 'subscription_cycle' && status !== 'void')
    .flatMap(({ createdAt }) => [0, ...RETRIES_MS].map((delay) => createdAt + DRAFT_MS + delay));
  return Math.min(
    nextEventAt(row, STRIPE_TERMS),
    upgrade?.expiresAt ?? Number.POSITIVE_INFINITY,
    ...attempts.filter((moment) => moment > passedAt),
  );
}

export function pass(account: StripeAccount, subscription: Subscription, moment: number): void {
  const before = subscription.row;
  const { row, charges } = advance(before, moment, STRIPE_TERMS);
  subscription.row = row;
  subscription.passedAt = moment;
  const isRenewed = row.status !== 'ended' && row.periodStartsAt !== before.periodStartsAt;
  if (isRenewed) {
    // A scheduled plan starts without the discount.
    if (before.scheduledTier !== null) subscription.discountId = null;
    addInvoice(account, subscription, { charge: charges[0], reason: 'subscription_cycle' });
    const schedule = currentSchedule(subscription);
    if (schedule && schedule.phases.at(-1)!.endsAt <= moment) schedule.status = 'released';
  }
  if (isExpired(subscription)) {
    for (const { id, status } of subscription.invoices) if (status === 'open') voidInvoice(account, id);
  }
  const { upgrade } = subscription;
  if (upgrade && upgrade.expiresAt <= moment) voidInvoice(account, upgrade.invoiceId);
}

function getActivePrice(account: StripeAccount, id: string): Wire<'price'> {
  const price = account.get('price', id, 'items[0][price]');
  if (!price.active) throw refused('The price specified is inactive.');
  return price;
}

/** The lifecycle ends a discount with its plan, so the coupon must apply to that plan only and last forever. */
function getCoupon(account: StripeAccount, id: string, price: Wire<'price'>): Wire<'coupon'> {
  const coupon = account.get('coupon', id, 'discounts[0][coupon]');
  const products = coupon.applies_to?.products ?? [];
  if (products.length !== 1 || products[0] !== price.product || coupon.duration !== 'forever') {
    throw unsupported('a coupon that is not for one plan, as long as it lasts');
  }
  return coupon;
}

function refuseDiscountOn(
  account: StripeAccount,
  { discountId }: Subscription,
  { product }: Wire<'price'>,
): void {
  const discount = discountId === null ? undefined : account.get('discount', discountId);
  const coupon = discount && account.get('coupon', String(discount.source?.coupon));
  if (coupon?.applies_to?.products?.includes(String(product))) {
    throw unsupported('another price of the product that is discounted');
  }
}
