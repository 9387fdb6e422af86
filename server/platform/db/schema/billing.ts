import type { Generated } from 'kysely';
import type { Flag, Instant } from './column-types.ts';

/** billing */
export interface CouponsTable {
  id: string;
  code: string;
  discountPercent: number;
  freeMonths: number;
  tier: 'pro' | 'premium';
  maxUses: number | null;
  currentUses: Generated<number>;
  expiresAt: Instant | null;
  createdAt: Instant;
}

/** billing: claimed when a subscription starts, released if it is never paid. */
export interface CouponRedemptionsTable {
  id: string;
  couponId: string;
  userId: string;
  providerSubscriptionId: string | null;
  state: 'held' | 'redeemed';
  createdAt: Instant;
}

/** billing: the provider's state as of the last sync. */
export interface SubscriptionsTable {
  id: string;
  userId: string;
  /** 'off' is never stored. */
  provider: 'stripe' | 'demo' | 'off';
  tier: 'pro' | 'premium';
  status: 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';
  providerSubscriptionId: string;
  couponId: string | null;
  /** Cents per month, before the discount. */
  priceCents: Generated<number>;
  discountPercent: Generated<number>;
  periodStartsAt: Instant | null;
  renewsAt: Instant | null;
  freeUntil: Instant | null;
  cancelAtPeriodEnd: Generated<Flag>;
  scheduledTier: 'pro' | 'premium' | null;
  scheduledPriceCents: number | null;
  cardBrand: string | null;
  cardLast4: string | null;
  /** The first failed payment. The plan continues until `graceEndsAt`. */
  failedAt: Instant | null;
  graceEndsAt: Instant | null;
  endedAt: Instant | null;
  /** End of the period that the owner was last reminded of. */
  remindedOf: Instant | null;
  /** Incremented before each sync, so that an older response never overwrites a newer one. */
  looks: Generated<number>;
  createdAt: Instant;
  updatedAt: Instant;
}

/** billing */
export interface InvoicesTable {
  id: string;
  userId: string;
  providerInvoiceId: string;
  providerSubscriptionId: string | null;
  tier: 'pro' | 'premium';
  number: string | null;
  status: 'open' | 'paid' | 'void' | 'refunded';
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  url: string | null;
  receiptSentAt: Instant | null;
  createdAt: Instant;
}

/** billing: a lock, so that only one call at a time changes a user's subscription. */
export interface BillingTurnsTable {
  userId: string;
  turnId: string;
  /** When the lock expires. */
  endsAt: Instant;
}

/** platform/payments (demo): stands in for what Stripe stores. */
export interface DemoSubscriptionsTable {
  id: string;
  customerId: string;
  clientSecret: string;
  tier: 'pro' | 'premium';
  priceCents: number;
  discountPercent: Generated<number>;
  status: 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  freeUntil: Instant | null;
  cancelAtPeriodEnd: Generated<Flag>;
  scheduledTier: 'pro' | 'premium' | null;
  scheduledPriceCents: number | null;
  /** A card ending in 0341 is declined at each renewal. */
  cardLast4: string | null;
  failedAt: Instant | null;
  endedAt: Instant | null;
  createdAt: Instant;
}

/** platform/payments (demo) */
export interface DemoInvoicesTable {
  id: string;
  customerId: string;
  subscriptionId: string;
  clientSecret: string;
  tier: 'pro' | 'premium';
  number: string;
  status: 'open' | 'paid' | 'void' | 'refunded';
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  createdAt: Instant;
}

/** billing: the provider's events that have been handled. */
export interface PaymentEventsTable {
  id: string;
  type: string;
  createdAt: Instant;
}

/** ads */
export interface AdsTable {
  id: string;
  type: 'image' | 'video';
  title: string;
  url: string | null;
  storageKey: string | null;
  filename: string | null;
  mimeType: string | null;
  sizeBytes: number | null;
  videoType: string | null;
  durationSeconds: Generated<number>;
  priority: Generated<number>;
  startDate: Instant | null;
  endDate: Instant | null;
  isActive: Generated<Flag>;
  createdAt: Instant;
  views: Generated<number>;
  clicks: Generated<number>;
}
