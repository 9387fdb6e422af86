import { DAY_MS, SECOND_MS } from '../../../server/platform/lib/clock.ts';
import { findIntent, openInvoicesOf, settle } from './invoices.ts';
import type { Invoice, PaymentIntent, PaymentMethod, SetupIntent, Subscription } from './objects.ts';
import type { Shop } from './shop.ts';
import { applyPendingUpdate } from './updates.ts';

const DAY_SECONDS = DAY_MS / SECOND_MS;

/** When an invoice that could not be charged is tried again, counted from the first failure. */
const RETRY_DAYS = [3, 8, 15];

/** Stripe's test cards by their numbers: taken and charged unless told otherwise here. */
const DECLINED_AT_ONCE = '4000000000000002';
const DECLINED_LATER = '4000000000000341';
const WANTS_CONFIRMATION_LATER = '4000002760003184';

const BRANDS: Record<string, string> = { 4: 'visa', 5: 'mastercard', 3: 'amex' };
const DECLINE = {
  code: 'card_declined',
  message: 'Your card was declined.',
  type: 'card_error' as const,
};

/**
 * What Stripe's form does with a card: confirms the payment or the set-up of a client secret.
 * Throws an Error with the sentence that people would see.
 */
export function confirm(shop: Shop, clientSecret: string, cardNumber: string): void {
  const id = clientSecret.split('_secret_')[0]!;
  const intent = shop.find('payment_intent', id) ?? shop.find('setup_intent', id);
  if (!intent || intent.client_secret !== clientSecret) throw new Error('No such intent');
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw new Error(`This intent cannot be confirmed: it is ${intent.status}`);
  }
  if (intent.object === 'setup_intent') {
    if (cardNumber === DECLINED_AT_ONCE) throw new Error(DECLINE.message);
    setUp(shop, intent, addMethod(shop, intent.customer, cardNumber));
    return;
  }
  const invoice = invoiceOf(shop, intent);
  if (cardNumber === DECLINED_AT_ONCE) {
    fail(shop, invoice, intent);
    throw new Error(DECLINE.message);
  }
  const method = addMethod(shop, intent.customer, cardNumber);
  succeed(shop, { invoice, intent, method });
}

function setUp(shop: Shop, intent: SetupIntent, method: PaymentMethod): void {
  intent.status = 'succeeded';
  intent.payment_method = method.id;
  shop.emit('setup_intent.succeeded', intent);
  const subscription = shop
    .list('subscription')
    .find(({ pending_setup_intent }) => pending_setup_intent === intent.id);
  if (!subscription || !shop.givesCardToSubscription) return;
  subscription.default_payment_method = method.id;
  subscription.pending_setup_intent = null;
  shop.emit('customer.subscription.updated', subscription);
}

/** Stripe's own attempt, with the known card. Returns whether it is paid. */
export function charge(shop: Shop, invoice: Invoice): boolean {
  const intent = findIntent(shop, invoice);
  if (!intent) return invoice.status === 'paid';
  const subscription = subscriptionOf(shop, invoice);
  const method = findMethod(shop, subscription);
  const number = method && shop.cardNumbers.get(method.id);
  if (method && number !== DECLINED_LATER && number !== WANTS_CONFIRMATION_LATER) {
    succeed(shop, { invoice, intent, method });
    return true;
  }
  fail(shop, invoice, intent);
  if (number === WANTS_CONFIRMATION_LATER) intent.status = 'requires_action';
  return false;
}

/** After the last retry the subscription ends, as the account's settings say. Returns whether one is left. */
export function scheduleRetry(invoice: Invoice): boolean {
  const first = invoice.status_transitions.finalized_at ?? invoice.created;
  const days = RETRY_DAYS[invoice.attempt_count - 1];
  invoice.next_payment_attempt = days === undefined ? null : first + days * DAY_SECONDS;
  return days !== undefined;
}

export function findMethod(shop: Shop, subscription: Subscription): PaymentMethod | undefined {
  const { invoice_settings } = shop.get('customer', subscription.customer);
  return (
    shop.find('payment_method', subscription.default_payment_method) ??
    shop.find('payment_method', invoice_settings.default_payment_method)
  );
}

function succeed(
  shop: Shop,
  { invoice, intent, method }: { invoice: Invoice; intent: PaymentIntent; method: PaymentMethod },
): void {
  const subscription = subscriptionOf(shop, invoice);
  intent.status = 'succeeded';
  intent.last_payment_error = null;
  const charged = shop.add({
    id: shop.newId('charge'),
    object: 'charge' as const,
    created: shop.now(),
    amount: intent.amount,
    amount_refunded: 0,
    customer: intent.customer,
    disputed: false,
    payment_intent: intent.id,
    refunded: false,
    status: 'succeeded' as const,
  });
  intent.latest_charge = charged.id;
  invoice.attempted = true;
  invoice.attempt_count += 1;
  subscription.default_payment_method = method.id;
  if (subscription.pending_update) applyPendingUpdate(shop, subscription);
  shop.emit('charge.succeeded', charged);
  shop.emit('payment_intent.succeeded', intent);
  settle(shop, invoice);
  if (subscription.status === 'incomplete' || subscription.status === 'past_due') {
    if (openInvoicesOf(shop, subscription.id).length === 0) subscription.status = 'active';
  }
  shop.emit('customer.subscription.updated', subscription);
}

function fail(shop: Shop, invoice: Invoice, intent: PaymentIntent): void {
  intent.status = 'requires_payment_method';
  intent.last_payment_error = DECLINE;
  invoice.attempted = true;
  invoice.attempt_count += 1;
  shop.emit('payment_intent.payment_failed', intent);
  shop.emit('invoice.payment_failed', invoice);
}

function addMethod(shop: Shop, customer: string, number: string): PaymentMethod {
  const method = shop.add<PaymentMethod>({
    id: shop.newId('payment_method'),
    object: 'payment_method',
    type: 'card',
    card: { brand: BRANDS[number[0]!] ?? 'unknown', last4: number.slice(-4) },
    customer,
  });
  shop.cardNumbers.set(method.id, number);
  return method;
}

function invoiceOf(shop: Shop, intent: PaymentIntent): Invoice {
  return shop
    .list('invoice')
    .find((invoice) => invoice.payments.data.some(({ payment }) => payment.payment_intent === intent.id))!;
}

function subscriptionOf(shop: Shop, invoice: Invoice): Subscription {
  return shop.get('subscription', invoice.parent.subscription_details.subscription);
}
