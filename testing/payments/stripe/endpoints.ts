import type { StripeAccount } from './account.ts';
import { createCoupon, createCustomer, createPrice, createProduct, updateCustomer } from './catalog.ts';
import type { Parameters } from './parameters.ts';
import { cancelSetup, voidInvoice } from './payments.ts';
import { createSchedule, releaseSchedule, updateSchedule } from './schedules.ts';
import { cancelSubscription, createSubscription, updateSubscription } from './subscriptions.ts';
import type { Kind, Wire } from './wire.ts';

// biome-ignore lint/suspicious/noExplicitAny: `checkParameters` has validated the parameters.
type Sent = any;
type Endpoint = {
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  parameters: Parameters;
  /** Returns an object, or a list that is then paged. */
  answer: (account: StripeAccount, sent: Sent, id: string) => Wire | Wire[];
};

/**
 * The part of Stripe's API that the server uses, with the documented parameters and values that it sends
 * (https://docs.stripe.com/api). All others are refused until they are added here.
 */
export const ENDPOINTS: Endpoint[] = [
  create('customers', { email: 'text', name: 'text', 'metadata.*': 'text' }, createCustomer),
  change('POST customers/:id', { email: 'text', name: 'text', 'metadata.*': 'text' }, updateCustomer),
  retrieve('customer'),
  create('products', { id: 'text', name: 'text!', 'metadata.*': 'text' }, createProduct),
  retrieve('product'),
  create(
    'prices',
    {
      currency: 'text!',
      product: 'text!',
      unit_amount: 'integer',
      'recurring.interval': ['month'],
      lookup_key: 'text',
      transfer_lookup_key: 'flag',
      'metadata.*': 'text',
    },
    createPrice,
  ),
  list('price', { 'lookup_keys[]': 'text' }, (price, sent) => sent.lookup_keys.includes(price.lookup_key)),
  create(
    'coupons',
    {
      id: 'text',
      'applies_to.products[]': 'text',
      percent_off: 'integer',
      duration: ['forever'],
      name: 'text',
    },
    createCoupon,
  ),
  retrieve('coupon'),
  create(
    'subscriptions',
    {
      customer: 'text!',
      items: 'list!',
      'items[].price': 'text!',
      'items[].quantity': 'integer',
      'discounts[].coupon': 'text',
      payment_behavior: ['default_incomplete'],
      'payment_settings.save_default_payment_method': ['on_subscription'],
      'payment_settings.payment_method_types[]': ['card'],
      trial_end: 'time',
      'trial_settings.end_behavior.missing_payment_method': ['cancel'],
      'metadata.*': 'text',
    },
    createSubscription,
  ),
  list('subscription', { customer: 'text', status: ['all'] }, (subscription, sent) => {
    return subscription.customer === sent.customer;
  }),
  retrieve('subscription'),
  change(
    'POST subscriptions/:id',
    {
      'items[].id': 'text',
      'items[].price': 'text',
      payment_behavior: ['pending_if_incomplete'],
      proration_behavior: ['always_invoice'],
      default_payment_method: 'text',
      trial_end: ['now'],
      cancel_at_period_end: 'flag',
      discounts: [''],
    },
    updateSubscription,
  ),
  change('DELETE subscriptions/:id', {}, cancelSubscription),
  list('invoice', { customer: 'text', subscription: 'text', status: ['open'] }, (invoice, sent) => {
    const { customer = invoice.customer, status = invoice.status } = sent;
    const id = invoice.parent?.subscription_details?.subscription;
    const { subscription = id } = sent;
    return invoice.customer === customer && invoice.status === status && subscription === id;
  }),
  change('POST invoices/:id/void', {}, voidInvoice),
  list('invoice_payment', { invoice: 'text' }, (payment, sent) => payment.invoice === sent.invoice),
  list('charge', { customer: 'text' }, (charge, sent) => charge.customer === sent.customer),
  retrieve('charge'),
  change('POST setup_intents/:id/cancel', {}, cancelSetup),
  create('subscription_schedules', { from_subscription: 'text!' }, createSchedule),
  change(
    'POST subscription_schedules/:id',
    {
      end_behavior: ['release'],
      'phases[].items[].price': 'text',
      'phases[].items[].quantity': 'integer',
      'phases[].start_date': 'time',
      'phases[].end_date': 'time',
      'phases[].duration.interval': ['month'],
      'phases[].duration.interval_count': 'integer',
      'phases[].trial_end': 'time',
      'phases[].discounts': [''],
      'phases[].discounts[].discount': 'text',
      'phases[].default_payment_method': 'text',
      'phases[].proration_behavior': ['none'],
    },
    updateSchedule,
  ),
  change('POST subscription_schedules/:id/release', {}, releaseSchedule),
];

function create(
  path: string,
  parameters: Parameters,
  act: (account: StripeAccount, sent: Sent) => { id: string },
): Endpoint {
  const answer: Endpoint['answer'] = (account, sent) => account.find(act(account, sent).id)!;
  return { method: 'POST', path: toPattern(path), parameters, answer };
}

function change(
  call: `${'POST' | 'DELETE'} ${string}`,
  parameters: Parameters,
  act: (account: StripeAccount, id: string, sent: Sent) => void,
): Endpoint {
  const [method, path] = call.split(' ') as ['POST' | 'DELETE', string];
  const answer: Endpoint['answer'] = (account, sent, id) => {
    act(account, id, sent);
    return account.find(id)!;
  };
  return { method, path: toPattern(path), parameters, answer };
}

function retrieve(kind: Kind): Endpoint {
  const answer: Endpoint['answer'] = (account, _sent, id) => account.get(kind, id);
  return { method: 'GET', path: toPattern(`${kind}s/:id`), parameters: {}, answer };
}

function list<K extends Kind>(
  kind: K,
  filters: Parameters,
  matches: (object: Wire<K>, sent: Sent) => boolean,
): Endpoint {
  const answer: Endpoint['answer'] = (account, { limit, starting_after, expand, ...sent }) => {
    const all = account.list(kind);
    return Object.keys(sent).length > 0 ? all.filter((object) => matches(object, sent)) : all;
  };
  const parameters: Parameters = { limit: 'integer', starting_after: 'text', ...filters };
  return { method: 'GET', path: toPattern(`${kind}s`), parameters, answer };
}

function toPattern(path: string): RegExp {
  return new RegExp(`^/v1/${path.replace(':id', '([^/]+)')}$`);
}
