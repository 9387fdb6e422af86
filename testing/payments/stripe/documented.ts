import type { Parameters } from './parameters.ts';

/**
 * The parameters of Stripe's calls, as its API reference documents them; of those with very many, the ones that
 * concern card subscriptions.
 */
const PAGING: Parameters = { limit: 'integer', starting_after: 'text', ending_before: 'text' };
const PERSON: Parameters = {
  email: 'text',
  name: 'text',
  phone: 'text',
  description: 'text',
  'metadata.*': 'text',
  'invoice_settings.default_payment_method': 'text',
};
/** Takes away what is there. */
const EMPTY = [''];
const PRORATION = ['always_invoice', 'create_prorations', 'none'];
const BEHAVIOR = ['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'];

const PAYMENT_SETTINGS: Parameters = {
  'payment_settings.save_default_payment_method': ['off', 'on_subscription'],
  'payment_settings.payment_method_types[]': ['card', 'link', 'us_bank_account', 'sepa_debit'],
  'trial_settings.end_behavior.missing_payment_method': ['cancel', 'create_invoice', 'pause'],
};

export const NOTHING: Parameters = {};
export const CUSTOMER = PERSON;
export const PRODUCT: Parameters = { id: 'text', name: 'text!', description: 'text', 'metadata.*': 'text' };
export const PRICE: Parameters = {
  currency: 'text!',
  product: 'text!',
  unit_amount: 'integer',
  'recurring.interval': ['day', 'week', 'month', 'year'],
  'recurring.interval_count': 'integer',
  lookup_key: 'text',
  transfer_lookup_key: 'flag',
  nickname: 'text',
  active: 'flag',
  'metadata.*': 'text',
};
export const PRICES: Parameters = { ...PAGING, 'lookup_keys[]': 'text', active: 'flag', product: 'text' };
export const COUPON: Parameters = {
  id: 'text',
  'applies_to.products[]': 'text',
  percent_off: 'integer',
  duration: ['forever', 'once', 'repeating'],
  name: 'text',
  max_redemptions: 'integer',
  'metadata.*': 'text',
};
export const SUBSCRIPTION: Parameters = {
  customer: 'text!',
  items: 'list!',
  'items[].price': 'text!',
  'items[].quantity': 'integer',
  'discounts[].coupon': 'text',
  payment_behavior: BEHAVIOR,
  proration_behavior: PRORATION,
  default_payment_method: 'text',
  trial_end: 'time|now',
  cancel_at_period_end: 'flag',
  description: 'text',
  'metadata.*': 'text',
  ...PAYMENT_SETTINGS,
};
export const SUBSCRIPTION_UPDATE: Parameters = {
  'items[].id': 'text',
  'items[].price': 'text',
  'items[].quantity': 'integer',
  payment_behavior: BEHAVIOR,
  proration_behavior: PRORATION,
  proration_date: 'time',
  default_payment_method: 'text',
  trial_end: 'time|now',
  cancel_at_period_end: 'flag',
  description: 'text',
  discounts: EMPTY,
  'discounts[].coupon': 'text',
  'metadata.*': 'text',
  ...PAYMENT_SETTINGS,
};
export const SUBSCRIPTION_CANCEL: Parameters = { invoice_now: 'flag', prorate: 'flag' };
export const SUBSCRIPTIONS: Parameters = {
  ...PAGING,
  customer: 'text',
  price: 'text',
  status: ['active', 'all', 'canceled', 'ended', 'incomplete', 'past_due', 'paused', 'trialing', 'unpaid'],
};
export const INVOICES: Parameters = {
  ...PAGING,
  customer: 'text',
  subscription: 'text',
  status: ['draft', 'open', 'paid', 'uncollectible', 'void'],
};
export const INVOICE_PAYMENTS: Parameters = {
  ...PAGING,
  invoice: 'text',
  status: ['canceled', 'open', 'paid'],
};
export const CHARGES: Parameters = { ...PAGING, customer: 'text', payment_intent: 'text' };
export const SETUP_CANCEL: Parameters = {
  cancellation_reason: ['abandoned', 'duplicate', 'requested_by_customer'],
};
export const SCHEDULE: Parameters = { from_subscription: 'text', 'metadata.*': 'text' };
export const SCHEDULE_UPDATE: Parameters = {
  end_behavior: ['cancel', 'release'],
  proration_behavior: PRORATION,
  'phases[].items[].price': 'text',
  'phases[].items[].quantity': 'integer',
  'phases[].start_date': 'time|now',
  'phases[].end_date': 'time|now',
  'phases[].duration.interval': ['day', 'month', 'week', 'year'],
  'phases[].duration.interval_count': 'integer',
  'phases[].trial_end': 'time|now',
  'phases[].discounts': EMPTY,
  'phases[].discounts[].discount': 'text',
  'phases[].discounts[].coupon': 'text',
  'phases[].default_payment_method': 'text',
  'phases[].proration_behavior': PRORATION,
  'phases[].metadata.*': 'text',
  'metadata.*': 'text',
};
export const SCHEDULE_RELEASE: Parameters = { preserve_cancel_date: 'flag' };
