import type { PaidTier } from '../../../contracts/plans/billing.ts';
import type { Instant } from '../db/schema/column-types.ts';

/**
 * 'incomplete': no payment and no card, entitles to nothing. 'trialing': a card was entered, the first charge
 * is to come. 'past_due': a payment failed and will be retried. 'ended' is final.
 */
export type ProviderStatus = 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';

/** Amounts are in cents. */
export type ProviderSubscription = {
  id: string;
  customerId: string;
  tier: PaidTier;
  status: ProviderStatus;
  /** Per month, before the discount. */
  priceCents: number;
  /** Only for the current plan. */
  discountPercent: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  freeUntil: Instant | null;
  cancelAtPeriodEnd: boolean;
  scheduled: { tier: PaidTier; priceCents: number } | null;
  card: { brand: string; last4: string } | null;
  /** Null while everything is paid. */
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

/** For the browser: confirms a payment, or sets up a card if nothing is due yet. */
export type ProviderPayment = { clientSecret: string; intent: 'payment' | 'setup'; dueCents: number };

export type Discount = {
  /** 0 to 100. */
  percent: number;
  freeMonths: number;
  code: string;
};

/**
 * A hint that a subscription or its invoices changed. The new state is fetched, never read from the event.
 */
export type PaymentEvent = {
  id: string;
  type: string;
  createdAt: Instant;
  subscriptionId: string | null;
  customerId: string | null;
  /** For `findPayer`, if the event names neither of the two (a dispute). */
  paymentId: string | null;
};

/**
 * Every method throws AppError `payments_unavailable` if the provider cannot be reached, and
 * `payment_not_found` for an unknown id. Every method can be repeated safely.
 */
export interface PaymentProvider {
  readonly name: 'stripe' | 'demo' | 'off';
  /** For Stripe's script; otherwise null. */
  readonly publishableKey: string | null;
  /** Returns `customerId` if the provider knows it, else a new customer. Concurrent calls create one. */
  ensureCustomer(user: {
    userId: string;
    email: string;
    name: string;
    customerId: string | null;
  }): Promise<string>;
  /**
   * It entitles to nothing until the payment, or the card set-up if nothing is due yet, is confirmed in the
   * browser. Idempotent per `key`.
   */
  startSubscription(wish: {
    customerId: string;
    tier: PaidTier;
    priceCents: number;
    discount: Discount | null;
    key: string;
  }): Promise<ProviderPayment & { subscriptionId: string }>;
  /** Undefined for an unknown id. */
  findSubscription(id: string): Promise<ProviderSubscription | undefined>;
  /**
   * Takes effect now: charges the difference for the rest of the period to the known card. Ends free months
   * and the discount, and revokes a scheduled plan and a cancellation. Returns a payment if it must be
   * confirmed in the browser. Throws AppError `payment_declined`; then nothing has changed.
   */
  upgrade(id: string, wish: { tier: PaidTier; priceCents: number }): Promise<ProviderPayment | null>;
  /**
   * Applies from the next period on, without the current discount. Revokes a cancellation. Null revokes the
   * scheduled plan.
   */
  schedule(id: string, wish: { tier: PaidTier; priceCents: number } | null): Promise<void>;
  /** Cancelling revokes a scheduled plan. */
  setCancelAtPeriodEnd(id: string, isCancelled: boolean): Promise<void>;
  /** Takes effect now, without a refund. */
  end(id: string): Promise<void>;
  /**
   * Ends an unconfirmed attempt. Returns false, and changes nothing, if it was confirmed: a concurrent
   * payment wins.
   */
  abandon(id: string): Promise<boolean>;
  /** Undefined if nothing is due. The payment may be made with another card. */
  findOpenPayment(id: string): Promise<ProviderPayment | undefined>;
  /** Newest first, at most 100. */
  listInvoices(customerId: string): Promise<ProviderInvoice[]>;
  /** Undefined for an unknown payment. */
  findPayer(paymentId: string): Promise<string | undefined>;
  /** Throws AppError `bad_webhook` unless the provider signed the body within the last 5 minutes. */
  readEvent(body: Buffer, signature: string | undefined): PaymentEvent;
}
