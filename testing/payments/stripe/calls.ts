import * as documented from './documented.ts';
import { voidInvoice } from './invoices.ts';
import type { StripeObject } from './objects.ts';
import type { Parameters } from './parameters.ts';
import { createSchedule, releaseSchedule, updateSchedule } from './schedules.ts';
import type { Shop } from './shop.ts';
import { cancelSubscription, createSubscription, isOver, updateSubscription } from './subscriptions.ts';
import { createCoupon, createCustomer, createPrice, createProduct, updateCustomer } from './things.ts';
import { noSuch, refused, type Values } from './wire.ts';

/** An object, or a list that is still to be paged. */
type Answer = StripeObject | StripeObject[];
// biome-ignore lint/suspicious/noExplicitAny: `checkParameters` has seen what is sent.
type Sent = any;
type Call = {
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  parameters: Parameters;
  answer: (shop: Shop, sent: Sent, id: string) => Answer;
};

/** What the fake knows of Stripe's API. */
export const CALLS: Call[] = [
  post('customers', documented.CUSTOMER, createCustomer),
  post('customers/:id', documented.CUSTOMER, (shop, sent, id) =>
    updateCustomer(shop.get('customer', id), sent),
  ),
  get('customers/:id', documented.NOTHING, (shop, _sent, id) => shop.get('customer', id)),
  post('products', documented.PRODUCT, createProduct),
  get('products/:id', documented.NOTHING, (shop, _sent, id) => shop.get('product', id)),
  post('prices', documented.PRICE, createPrice),
  get('prices', documented.PRICES, (shop, { lookup_keys, active, product }) =>
    shop
      .list('price')
      .filter((price) => !lookup_keys || lookup_keys.includes(price.lookup_key))
      .filter((price) => !active || String(price.active) === active)
      .filter((price) => !product || price.product === product),
  ),
  post('coupons', documented.COUPON, createCoupon),
  get('coupons/:id', documented.NOTHING, (shop, _sent, id) => shop.get('coupon', id)),
  post('subscriptions', documented.SUBSCRIPTION, (shop, sent) => {
    if (sent.payment_behavior !== 'default_incomplete')
      throw refused('This customer has no attached payment source');
    return createSubscription(shop, sent);
  }),
  get('subscriptions', documented.SUBSCRIPTIONS, (shop, { customer, status }) =>
    shop
      .list('subscription')
      .filter((subscription) => !customer || subscription.customer === customer)
      .filter((subscription) => {
        if (status === 'all') return true;
        return status ? subscription.status === status : !isOver(subscription);
      }),
  ),
  get('subscriptions/:id', documented.NOTHING, (shop, _sent, id) => shop.get('subscription', id)),
  post('subscriptions/:id', documented.SUBSCRIPTION_UPDATE, (shop, sent, id) => {
    const subscription = shop.get('subscription', id);
    updateSubscription(shop, subscription, sent);
    return subscription;
  }),
  remove('subscriptions/:id', documented.SUBSCRIPTION_CANCEL, (shop, _sent, id) => {
    const subscription = shop.get('subscription', id);
    cancelSubscription(shop, subscription);
    return subscription;
  }),
  get('invoices', documented.INVOICES, (shop, { customer, subscription, status }) => {
    if (customer) shop.get('customer', customer, 'customer');
    return shop
      .list('invoice')
      .filter((invoice) => !customer || invoice.customer === customer)
      .filter(({ parent }) => !subscription || parent.subscription_details.subscription === subscription)
      .filter((invoice) => !status || invoice.status === status);
  }),
  post('invoices/:id/void', documented.NOTHING, (shop, _sent, id) => {
    const invoice = shop.get('invoice', id);
    voidInvoice(shop, invoice);
    return invoice;
  }),
  get('invoice_payments', documented.INVOICE_PAYMENTS, (shop, { invoice, status }) =>
    shop
      .list('invoice_payment')
      .filter((payment) => !invoice || payment.invoice === invoice)
      .filter((payment) => !status || payment.status === status),
  ),
  get('charges', documented.CHARGES, (shop, { customer, payment_intent }) =>
    shop
      .list('charge')
      .filter((charge) => !customer || charge.customer === customer)
      .filter((charge) => !payment_intent || charge.payment_intent === payment_intent),
  ),
  get('charges/:id', documented.NOTHING, (shop, _sent, id) => shop.get('charge', id)),
  post('setup_intents/:id/cancel', documented.SETUP_CANCEL, (shop, _sent, id) => {
    const intent = shop.get('setup_intent', id);
    if (intent.status !== 'requires_payment_method') {
      throw refused(`You cannot cancel this SetupIntent because it has a status of ${intent.status}.`);
    }
    intent.status = 'canceled';
    return intent;
  }),
  post('subscription_schedules', documented.SCHEDULE, (shop, { from_subscription }) =>
    createSchedule(shop, from_subscription),
  ),
  post('subscription_schedules/:id', documented.SCHEDULE_UPDATE, (shop, sent, id) => {
    const schedule = shop.get('subscription_schedule', id);
    updateSchedule(shop, schedule, sent);
    return schedule;
  }),
  post('subscription_schedules/:id/release', documented.SCHEDULE_RELEASE, (shop, _sent, id) => {
    const schedule = shop.get('subscription_schedule', id);
    releaseSchedule(shop, schedule);
    return schedule;
  }),
];

/** Stripe's pages: `limit` of 1 to 100 (10 unless told), from behind `starting_after`. */
export function toPage(
  objects: StripeObject[],
  { limit = '10', starting_after: after }: Values,
  url: string,
) {
  const size = Number(limit);
  if (size < 1 || size > 100) throw refused('Invalid limit: must be between 1 and 100');
  const start = after === undefined ? 0 : objects.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw noSuch('object', String(after), 'starting_after');
  const data = objects.slice(start, start + size);
  return { object: 'list', data, has_more: objects.length > start + size, url };
}

function get(path: string, parameters: Parameters, answer: Call['answer']): Call {
  return { method: 'GET', path: toPattern(path), parameters, answer };
}

function post(path: string, parameters: Parameters, answer: Call['answer']): Call {
  return { method: 'POST', path: toPattern(path), parameters, answer };
}

function remove(path: string, parameters: Parameters, answer: Call['answer']): Call {
  return { method: 'DELETE', path: toPattern(path), parameters, answer };
}

function toPattern(path: string): RegExp {
  return new RegExp(`^/v1/${path.replace(':id', '([^/]+)')}$`);
}
