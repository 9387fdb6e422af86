import { z } from 'zod';
import { AUTH_BODY_LIMIT } from './accounts.ts';
import { Instant, isStorableText } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { TierName } from './tiers.ts';
import { blankAsAbsent } from './transfers.ts';

export const PAID_TIERS = ['pro', 'premium'] as const;
export const PaidTier = z.enum(PAID_TIERS);
export type PaidTier = z.infer<typeof PaidTier>;

/** As people type it; compared, stored and shown in upper case (specification section 5). */
export const CouponCode = z
  .string()
  .trim()
  .min(1, 'Please enter a coupon code')
  .max(50, 'This coupon is not valid.')
  .refine(isStorableText, 'This coupon is not valid.')
  .transform((code) => code.toUpperCase());

/** How a payment is confirmed in the browser. */
export const PaymentStart = z.object({
  /** Of the provider's payment or, when nothing is due today, of its card set-up. */
  clientSecret: z.string(),
  provider: z.enum(['stripe', 'demo']),
  /** 'setup': only the card is taken now, the first charge comes later. */
  intent: z.enum(['payment', 'setup']),
  /** The provider's public key; null for the demo. */
  publishableKey: z.string().nullable(),
  /** Cents due today. */
  dueCents: z.int(),
});
export type PaymentStart = z.infer<typeof PaymentStart>;

/** Specification section 7, "Payments". Also takes a subscriber to the higher plan, the difference prorated. */
export const createSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/create-subscription',
  access: 'signed-in',
  keyScope: 'none',
  idempotent: true,
  summary: 'Begin a paid plan; it holds once the provider says that it is paid',
  body: z.strictObject({ tier: PaidTier, couponCode: blankAsAbsent(CouponCode) }),
  response: PaymentStart,
});

export const SUBSCRIPTION_STATUSES = [
  'none',
  'incomplete',
  'active',
  'trialing',
  'past_due',
  'ended',
] as const;

export const Subscription = z.object({
  tier: TierName,
  status: z.enum(SUBSCRIPTION_STATUSES),
  /** When the paid period ends, and is renewed unless cancelled. */
  renewsAt: z.nullable(Instant),
  cancelAtPeriodEnd: z.boolean(),
  /** The plan from the next period on, after a downgrade. */
  scheduledTier: z.nullable(PaidTier),
  /** Cents of the next charge, after discounts; null without one. */
  nextChargeCents: z.int().nullable(),
  discountPercent: z.int(),
  /** Until when nothing is charged (free months of a coupon). */
  freeUntil: z.nullable(Instant),
  /** A payment failed: until when the plan goes on regardless. */
  graceEndsAt: z.nullable(Instant),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  /** `off`: nothing can be bought or changed here. */
  provider: z.enum(['stripe', 'demo', 'off']),
  /** Where the caller gets priority support; null without it. */
  supportEmail: z.string().nullable(),
});
export type Subscription = z.infer<typeof Subscription>;

export const getSubscription = defineEndpoint({
  method: 'GET',
  path: '/api/subscription',
  access: 'signed-in',
  keyScope: 'none',
  summary: "The caller's plan and how it goes on",
  response: Subscription,
});

export const changeSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/change-subscription',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Take the lower plan from the end of the paid period on; naming the present plan takes that back',
  body: z.strictObject({ tier: PaidTier }),
  response: Subscription,
});

export const cancelSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/cancel-subscription',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Cancel at the end of the paid period',
  response: Subscription,
});

export const resumeSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/resume-subscription',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Take a cancellation back before the period ends',
  response: Subscription,
});

export const payOpenInvoice = defineEndpoint({
  method: 'POST',
  path: '/api/pay-open-invoice',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Pay what a failed payment left open, also with another card',
  response: PaymentStart,
});

export const Invoice = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.enum(['open', 'paid', 'void', 'refunded']),
  amountCents: z.int(),
  createdAt: Instant,
  periodStartsAt: Instant,
  periodEndsAt: Instant,
  /** The provider's own page of it. */
  url: z.string().nullable(),
});
export type Invoice = z.infer<typeof Invoice>;

export const listInvoices = defineEndpoint({
  method: 'GET',
  path: '/api/invoices',
  access: 'signed-in',
  keyScope: 'none',
  summary: "The caller's invoices, the newest first, at most 100",
  response: z.array(Invoice),
});

/** What a coupon does to a plan's price. */
export const CouponPrice = z.object({
  code: z.string(),
  tier: PaidTier,
  discountPercent: z.int(),
  freeMonths: z.int(),
  /** Cents a month without and with it. */
  priceCents: z.int(),
  discountedCents: z.int(),
  /** Cents due today: nothing while there are free months. */
  dueCents: z.int(),
  firstChargeAt: Instant,
});
export type CouponPrice = z.infer<typeof CouponPrice>;

export const checkCoupon = defineEndpoint({
  method: 'POST',
  path: '/api/coupons/check',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'What a plan costs with a coupon; nothing is redeemed',
  body: z.strictObject({ code: CouponCode, tier: PaidTier }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: CouponPrice,
});

/** What Stripe's own form would send to Stripe. The call does not exist when Stripe takes the payments. */
export const confirmDemoPayment = defineEndpoint({
  method: 'POST',
  path: '/api/demo-payments/confirm',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Pay at the built-in demo provider, with a card of its own',
  body: z.strictObject({
    clientSecret: z.string().min(1).max(200).refine(isStorableText),
    cardNumber: z
      .string()
      .transform((text) => text.replace(/[\s-]/g, ''))
      .pipe(z.string().regex(/^\d{13,19}$/, 'Please enter the number of the card')),
    /** MM/YY */
    expiry: z.string().regex(/^(?:0[1-9]|1[0-2])\s*\/\s*\d{2}$/, 'Please enter month and year, as 12/30'),
    cvc: z.string().regex(/^\d{3,4}$/, 'Please enter the three or four digits'),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: z.object({ status: z.literal('succeeded') }),
});

/** The provider's signed events. */
export const paymentWebhook = defineEndpoint({
  method: 'POST',
  path: '/api/payments/webhook',
  access: 'public',
  summary: 'Events of the payment provider, signed by it',
  body: 'stream',
  response: z.object({ received: z.literal(true) }),
});
