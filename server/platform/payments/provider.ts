import type { PaidTier } from '../../../contracts/plans/billing.ts';
import type { Instant } from '../db/schema.ts';

/**
 * How a subscription stands. 'incomplete': nothing has been paid and no card taken, it entitles to nothing;
 * 'trialing': a card is there, the first charge is still to come; 'past_due': a payment failed, it is tried
 * again; 'ended' is for ever.
 */
export type ProviderStatus = 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';

/** A subscription as the provider has it now. Instants are epoch milliseconds, amounts cents. */
export type ProviderSubscription = {
  id: string;
  customerId: string;
  tier: PaidTier;
  status: ProviderStatus;
  /** A month, before the discount. */
  priceCents: number;
  /** Of the present plan, as long as it lasts; no other plan inherits it. */
  discountPercent: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  /** Nothing is charged before; null without free months. */
  freeUntil: Instant | null;
  cancelAtPeriodEnd: boolean;
  /** What it is from the next period on. */
  scheduled: { tier: PaidTier; priceCents: number } | null;
  card: { brand: string; last4: string } | null;
  /** Since when a payment is owed; null while all is paid. */
  failedAt: Instant | null;
  endedAt: Instant | null;
};

export type ProviderInvoice = {
  id: string;
  subscriptionId: string | null;
  tier: PaidTier;
  number: string | null;
  status: 'open' | 'paid' | 'void' | 'refunded';
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  createdAt: Instant;
  /** The provider's page of it. */
  url: string | null;
};

/** What the browser needs to confirm a payment. */
export type ProviderPayment = { clientSecret: string; intent: 'payment' | 'setup'; dueCents: number };

export type Discount = {
  /** Of each charge, as long as it lasts; 0 to 100. */
  percent: number;
  /** Before the first charge. */
  freeMonths: number;
  /** Names the coupon at the provider. */
  code: string;
};

/** Something has happened to a subscription or its invoices: what, is asked for, never taken from the event. */
export type PaymentEvent = {
  id: string;
  type: string;
  createdAt: Instant;
  subscriptionId: string | null;
  customerId: string | null;
  /** When neither is told (a dispute): the payment in question, for `findPayer`. */
  paymentId: string | null;
};

/**
 * Where people pay. Stripe and the demo pass one suite; with PAYMENTS=off the provider refuses everything. Every method throws AppError `payments_unavailable` when
 * the provider cannot be reached; unknown ids throw `payment_not_found`. Calling a method again does no harm.
 */
export interface PaymentProvider {
  readonly name: 'stripe' | 'demo' | 'off';
  /** For the browser's side; null for the demo. */
  readonly publishableKey: string | null;
  /** The customer of this user: the known one, else a new one. Two calls at once give one. */
  ensureCustomer(user: {
    userId: string;
    email: string;
    name: string;
    customerId: string | null;
  }): Promise<string>;
  /**
   * Begins a subscription that entitles to nothing until its payment (or, with free months or nothing due, its
   * card set-up) is confirmed in the browser. `key`: the same call twice begins one.
   */
  startSubscription(wish: {
    customerId: string;
    tier: PaidTier;
    priceCents: number;
    discount: Discount | null;
    key: string;
  }): Promise<ProviderPayment & { subscriptionId: string }>;
  /** As it is now; undefined when the provider does not know it. */
  findSubscription(id: string): Promise<ProviderSubscription | undefined>;
  /**
   * Upwards at once: the rest of the period is prorated and charged to the known card; what is to be confirmed
   * in the browser comes back, or null when nothing is. Throws AppError `payment_declined`, and nothing changes.
   * During free months these end, and a month of the new plan is charged. The discount was the lower plan's and
   * ends. What was scheduled, and a cancellation, are taken back.
   */
  upgrade(id: string, wish: { tier: PaidTier; priceCents: number }): Promise<ProviderPayment | null>;
  /** From the next period on, without the present plan's discount; null takes it back. Takes a cancellation back. */
  schedule(id: string, wish: { tier: PaidTier; priceCents: number } | null): Promise<void>;
  /** A cancellation takes back what was scheduled. */
  setCancelAtPeriodEnd(id: string, isCancelled: boolean): Promise<void>;
  /** Ends it now, without a refund. */
  end(id: string): Promise<void>;
  /**
   * Ends an attempt, for which nothing has been paid and no card taken. False, and it goes on, when that has
   * happened, be it at this very moment: a payment wins.
   */
  abandon(id: string): Promise<boolean>;
  /**
   * To pay what is owed, with the known card or another, or to confirm what has been begun (the same as
   * `startSubscription` gave); undefined when nothing is owed.
   */
  findOpenPayment(id: string): Promise<ProviderPayment | undefined>;
  /** The newest first, at most 100. */
  listInvoices(customerId: string): Promise<ProviderInvoice[]>;
  /** The customer of a payment that an event names; undefined when it is not one of ours. */
  findPayer(paymentId: string): Promise<string | undefined>;
  /** Throws AppError `bad_webhook` for what the provider has not signed within the last 5 minutes. */
  readEvent(body: Buffer, signature: string | undefined): PaymentEvent;
}
