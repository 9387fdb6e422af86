/** Stripe's objects as they go over the wire, with the fields that are used here. References are ids. */
export type Metadata = Record<string, string>;
export type List<T> = { object: 'list'; data: T[]; has_more: boolean; url: string };

export type Customer = {
  id: string;
  object: 'customer';
  created: number;
  email: string | null;
  name: string | null;
  metadata: Metadata;
  invoice_settings: { default_payment_method: string | null };
};
export type Product = { id: string; object: 'product'; created: number; name: string; metadata: Metadata };
export type Price = {
  id: string;
  object: 'price';
  created: number;
  active: boolean;
  currency: string;
  product: string;
  unit_amount: number;
  lookup_key: string | null;
  recurring: { interval: string; interval_count: number };
  metadata: Metadata;
  type: 'recurring';
};
export type Coupon = {
  id: string;
  object: 'coupon';
  created: number;
  applies_to: { products: string[] } | null;
  percent_off: number;
  duration: string;
  name: string | null;
  valid: boolean;
};
export type Discount = {
  id: string;
  object: 'discount';
  source: { type: 'coupon'; coupon: string };
  subscription: string;
};
export type PaymentMethod = {
  id: string;
  object: 'payment_method';
  type: 'card';
  card: { brand: string; last4: string };
  customer: string;
};
export type Item = {
  id: string;
  object: 'subscription_item';
  current_period_start: number;
  current_period_end: number;
  price: Price;
  quantity: number;
  subscription: string;
};
export type Subscription = {
  id: string;
  object: 'subscription';
  created: number;
  billing_cycle_anchor: number;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  customer: string;
  default_payment_method: string | null;
  discounts: string[];
  ended_at: number | null;
  items: List<Item>;
  latest_invoice: string | null;
  metadata: Metadata;
  pending_setup_intent: string | null;
  pending_update: {
    expires_at: number;
    trial_end: number | null;
    subscription_items: { price: Price }[];
  } | null;
  schedule: string | null;
  status:
    | 'incomplete'
    | 'incomplete_expired'
    | 'trialing'
    | 'active'
    | 'past_due'
    | 'canceled'
    | 'unpaid'
    | 'paused';
  trial_start: number | null;
  trial_end: number | null;
};
export type Line = {
  id: string;
  object: 'line_item';
  amount: number;
  description: string;
  period: { start: number; end: number };
  pricing: { type: 'price_details'; price_details: { price: string; product: string } };
};
export type Invoice = {
  id: string;
  object: 'invoice';
  created: number;
  amount_due: number;
  amount_paid: number;
  amount_remaining: number;
  attempt_count: number;
  attempted: boolean;
  auto_advance: boolean;
  automatically_finalizes_at: number | null;
  billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  confirmation_secret: { client_secret: string; type: 'payment_intent' } | null;
  customer: string;
  hosted_invoice_url: string | null;
  lines: List<Line>;
  next_payment_attempt: number | null;
  number: string | null;
  parent: {
    type: 'subscription_details';
    subscription_details: { subscription: string; metadata: Metadata };
  };
  payments: List<InvoicePayment>;
  period_start: number;
  period_end: number;
  post_payment_credit_notes_amount: number;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  status_transitions: { finalized_at: number | null; paid_at: number | null; voided_at: number | null };
  total: number;
};
export type InvoicePayment = {
  id: string;
  object: 'invoice_payment';
  created: number;
  invoice: string;
  payment: { type: 'payment_intent'; payment_intent: string };
  status: 'open' | 'paid' | 'canceled';
};
export type PaymentIntent = {
  id: string;
  object: 'payment_intent';
  created: number;
  amount: number;
  client_secret: string;
  customer: string;
  last_payment_error: { code: string; message: string; type: 'card_error' } | null;
  latest_charge: string | null;
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled';
};
export type SetupIntent = {
  id: string;
  object: 'setup_intent';
  created: number;
  client_secret: string;
  customer: string;
  payment_method: string | null;
  status: 'requires_payment_method' | 'succeeded' | 'canceled';
};
export type Charge = {
  id: string;
  object: 'charge';
  created: number;
  amount: number;
  amount_refunded: number;
  customer: string;
  disputed: boolean;
  payment_intent: string;
  refunded: boolean;
  status: 'succeeded' | 'failed';
};
export type Phase = {
  start_date: number;
  end_date: number;
  items: { price: string; quantity: number }[];
  discounts: { discount: string }[];
  default_payment_method: string | null;
  trial_end: number | null;
};
export type Schedule = {
  id: string;
  object: 'subscription_schedule';
  created: number;
  customer: string;
  end_behavior: 'release' | 'cancel';
  phases: Phase[];
  released_subscription: string | null;
  status: 'active' | 'released' | 'canceled' | 'completed';
  subscription: string | null;
};
export type StripeObject =
  | Customer
  | Product
  | Price
  | Coupon
  | Discount
  | PaymentMethod
  | Subscription
  | Invoice
  | InvoicePayment
  | PaymentIntent
  | SetupIntent
  | Charge
  | Schedule;
export type ObjectOf<K extends StripeObject['object']> = Extract<StripeObject, { object: K }>;

export type StripeEvent = {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: { object: string } };
  livemode: false;
  pending_webhooks: number;
  request: { id: null; idempotency_key: null };
  type: string;
};
