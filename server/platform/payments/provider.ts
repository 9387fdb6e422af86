import type { PaidTier } from '../../../contracts/plans/billing.ts';
import type { Instant } from '../db/schema/column-types.ts';

/**
 * 'incomplete': nothing is paid and no card was entered, so it entitles to nothing. 'trialing': a card was entered,
 * the first charge is still to come. 'past_due': a payment failed and will be retried. 'ended' is final.
 */
export type ProviderStatus = 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';

/** The provider's current state of a subscription. Instants are epoch milliseconds, amounts cents. */
export type ProviderSubscription = {
  id: string;
  customerId: string;
  tier: PaidTier;
  status: ProviderStatus;
  /** Per month, before the discount. */
  priceCents: number;
  /** Applies to the current plan as long as it lasts; other plans do not inherit it. */
  discountPercent: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  freeUntil: Instant | null;
  cancelAtPeriodEnd: boolean;
  /** The plan from the next period on. */
  scheduled: { tier: PaidTier; priceCents: number } | null;
  card: { brand: string; last4: string } | null;
  /** Since when a payment is due; null while everything is paid. */
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
  url: string | null;
};

/** What the browser needs to confirm a payment, or the set-up of a card if nothing is due yet. */
export type ProviderPayment = { clientSecret: string; intent: 'payment' | 'setup'; dueCents: number };

export type Discount = {
  /** Off each charge of the plan; 0 to 100. */
  percent: number;
  freeMonths: number;
  /** The coupon's name at the provider. */
  code: string;
};

/** Says that a subscription or its invoices changed. The new state is fetched, never read from the event. */
export type PaymentEvent = {
  id: string;
  type: string;
  createdAt: Instant;
  subscriptionId: string | null;
  customerId: string | null;
  /** The payment concerned, for `findPayer`, if the event names neither of the two (a dispute). */
  paymentId: string | null;
};

/**
 * Takes payments. Stripe and the demo pass the same suite; with PAYMENTS=off the provider refuses everything. Every
 * method throws AppError `payments_unavailable` if the provider cannot be reached, and `payment_not_found` for an
 * unknown id. Every method can be repeated safely.
 */
export interface PaymentProvider {
  readonly name: 'stripe' | 'demo' | 'off';
  /** For Stripe's script in the browser; null for other providers. */
  readonly publishableKey: string | null;
  /** Returns the user's customer: `customerId` if the provider knows it, else a new one. Concurrent calls create one. */
  ensureCustomer(user: {
    userId: string;
    email: string;
    name: string;
    customerId: string | null;
  }): Promise<string>;
  /**
   * Starts a subscription that entitles to nothing until its payment is confirmed in the browser, or its card set-up
   * if nothing is due yet. Calls with the same `key` start one subscription.
   */
  startSubscription(wish: {
    customerId: string;
    tier: PaidTier;
    priceCents: number;
    discount: Discount | null;
    key: string;
  }): Promise<ProviderPayment & { subscriptionId: string }>;
  /** Undefined if the provider does not know the id. */
  findSubscription(id: string): Promise<ProviderSubscription | undefined>;
  /**
   * Changes to a higher plan at once: the difference for the rest of the period is charged to the known card. Free
   * months end, and a month of the new plan is charged. The discount belonged to the lower plan and ends. A scheduled
   * plan and a cancellation are revoked. Returns a payment if it must be confirmed in the browser first, else null.
   * Throws AppError `payment_declined`; then nothing has changed.
   */
  upgrade(id: string, wish: { tier: PaidTier; priceCents: number }): Promise<ProviderPayment | null>;
  /** Sets the plan from the next period on, without the current discount, and revokes a cancellation. Null revokes the plan. */
  schedule(id: string, wish: { tier: PaidTier; priceCents: number } | null): Promise<void>;
  /** Cancelling revokes a scheduled plan. */
  setCancelAtPeriodEnd(id: string, isCancelled: boolean): Promise<void>;
  /** Ends the subscription at once, without a refund. */
  end(id: string): Promise<void>;
  /**
   * Ends an attempt for which nothing was paid and no card was entered. Returns false, and changes nothing, if that
   * has happened: a payment at the same moment wins.
   */
  abandon(id: string): Promise<boolean>;
  /**
   * The payment of what is due, with the known card or another, or the first payment as `startSubscription` returned
   * it. Undefined if nothing is due.
   */
  findOpenPayment(id: string): Promise<ProviderPayment | undefined>;
  /** Newest first, at most 100. */
  listInvoices(customerId: string): Promise<ProviderInvoice[]>;
  /** The customer of a payment that an event names; undefined for an unknown payment. */
  findPayer(paymentId: string): Promise<string | undefined>;
  /** Throws AppError `bad_webhook` unless the provider signed the body within the last 5 minutes. */
  readEvent(body: Buffer, signature: string | undefined): PaymentEvent;
}
