import { HOUR_MS, SECOND_MS } from '../../../server/platform/lib/clock.ts';
import { discountedCents } from '../../../server/platform/payments/calculations.ts';
import type { Invoice, Line, PaymentIntent, Price, Subscription } from './objects.ts';
import type { Shop } from './shop.ts';
import { refused } from './wire.ts';

/** Renewals can be edited for so long before they are charged. */
const DRAFT_SECONDS = HOUR_MS / SECOND_MS;

export type NewLine = { amount: number; price: Price; period: { start: number; end: number } };

/** Cents of a price after the subscription's discount, if that applies to its product. */
export function discounted(shop: Shop, { discounts }: Subscription, price: Price): number {
  const discount = shop.find('discount', discounts[0] ?? null);
  const coupon = discount && shop.get('coupon', discount.source.coupon);
  const applies = coupon && (coupon.applies_to?.products.includes(price.product) ?? true);
  return discountedCents(price.unit_amount, applies ? coupon.percent_off : 0);
}

/** A draft; `finalize` makes it payable. */
export function createInvoice(
  shop: Shop,
  subscription: Subscription,
  { lines, reason }: { lines: NewLine[]; reason: Invoice['billing_reason'] },
): Invoice {
  const id = shop.newId('invoice');
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const due = Math.max(0, total);
  const invoice = shop.add<Invoice>({
    id,
    object: 'invoice',
    created: shop.now(),
    amount_due: due,
    amount_paid: 0,
    amount_remaining: due,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatically_finalizes_at: reason === 'subscription_cycle' ? shop.now() + DRAFT_SECONDS : null,
    billing_reason: reason,
    confirmation_secret: null,
    customer: subscription.customer,
    hosted_invoice_url: null,
    lines: { object: 'list', data: lines.map((line) => toLine(shop, line)), has_more: false, url: '' },
    next_payment_attempt: null,
    number: null,
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    payments: { object: 'list', data: [], has_more: false, url: '' },
    // Of the period before: what was used in it would be charged now.
    period_start: reason === 'subscription_cycle' ? subscription.created : shop.now(),
    period_end: shop.now(),
    post_payment_credit_notes_amount: 0,
    status: 'draft',
    status_transitions: { finalized_at: null, paid_at: null, voided_at: null },
    total,
  });
  subscription.latest_invoice = id;
  shop.emit('invoice.created', invoice);
  return invoice;
}

/** Open with a payment to be made, or paid when nothing is due. */
export function finalize(shop: Shop, invoice: Invoice): void {
  invoice.status = 'open';
  invoice.automatically_finalizes_at = null;
  invoice.status_transitions.finalized_at = shop.now();
  invoice.number = `SW-${String(shop.list('invoice').length).padStart(4, '0')}`;
  invoice.hosted_invoice_url = `https://invoice.stripe.com/i/${invoice.id}`;
  shop.emit('invoice.finalized', invoice);
  if (invoice.amount_due > 0) addPayment(shop, invoice);
  else settle(shop, invoice);
}

function addPayment(shop: Shop, invoice: Invoice): void {
  const id = shop.newId('payment_intent');
  const intent = shop.add<PaymentIntent>({
    id,
    object: 'payment_intent',
    created: shop.now(),
    amount: invoice.amount_due,
    client_secret: `${id}_secret_${shop.newId('line').slice(3)}`,
    customer: invoice.customer,
    last_payment_error: null,
    latest_charge: null,
    status: 'requires_payment_method',
  });
  invoice.confirmation_secret = { client_secret: intent.client_secret, type: 'payment_intent' };
  const payment = shop.add({
    id: shop.newId('invoice_payment'),
    object: 'invoice_payment' as const,
    created: shop.now(),
    invoice: invoice.id,
    payment: { type: 'payment_intent' as const, payment_intent: id },
    status: 'open' as const,
  });
  invoice.payments.data.push(payment);
  shop.emit('payment_intent.created', intent);
}

/** Paid, by a charge or because nothing was due. */
export function settle(shop: Shop, invoice: Invoice): void {
  invoice.status = 'paid';
  invoice.amount_paid = invoice.amount_due;
  invoice.amount_remaining = 0;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.paid_at = shop.now();
  for (const payment of invoice.payments.data) payment.status = 'paid';
  shop.emit('invoice.paid', invoice);
  shop.emit('invoice.payment_succeeded', invoice);
}

/** Throws Stripe's refusal for what is not open. */
export function voidInvoice(shop: Shop, invoice: Invoice): void {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw refused(`You can only void open or uncollectible invoices. This invoice is ${invoice.status}.`);
  }
  invoice.status = 'void';
  invoice.next_payment_attempt = null;
  invoice.status_transitions.voided_at = shop.now();
  for (const payment of invoice.payments.data) payment.status = 'canceled';
  const intent = findIntent(shop, invoice);
  if (intent) {
    intent.status = 'canceled';
    shop.emit('payment_intent.canceled', intent);
  }
  shop.emit('invoice.voided', invoice);
  const subscription = shop.get('subscription', invoice.parent.subscription_details.subscription);
  if (subscription.latest_invoice === invoice.id && subscription.pending_update) {
    subscription.pending_update = null;
    shop.emit('customer.subscription.updated', subscription);
  }
}

export function findIntent(shop: Shop, invoice: Invoice): PaymentIntent | undefined {
  return shop.find('payment_intent', invoice.payments.data[0]?.payment.payment_intent ?? null);
}

export function openInvoicesOf(shop: Shop, subscriptionId: string): Invoice[] {
  return invoicesOf(shop, subscriptionId).filter(({ status }) => status === 'open');
}

export function invoicesOf(shop: Shop, subscriptionId: string): Invoice[] {
  return shop
    .list('invoice')
    .filter(({ parent }) => parent.subscription_details.subscription === subscriptionId);
}

function toLine(shop: Shop, { amount, price, period }: NewLine): Line {
  return {
    id: shop.newId('line'),
    object: 'line_item',
    amount,
    description: `1 × ${price.product}`,
    period,
    pricing: { type: 'price_details', price_details: { price: price.id, product: price.product } },
  };
}
