import { z } from 'zod';
import { AUTH_BODY_LIMIT } from '../accounts/accounts.ts';
import { defineEndpoint } from '../endpoint.ts';
import { blankAsAbsent } from '../transfers/transfers.ts';
import { Instant, isStorableText } from '../values/fields.ts';
import { TierName } from './tiers.ts';

export const PAID_TIERS = ['pro', 'premium'] as const;
export const PaidTier = z.enum(PAID_TIERS);
export type PaidTier = z.infer<typeof PaidTier>;

export const CouponCode = z
  .string()
  .trim()
  .min(1, 'Please enter a coupon code')
  .max(50, 'This coupon is not valid.')
  .refine(isStorableText, 'This coupon is not valid.')
  .transform((code) => code.toUpperCase());

export const PaymentStart = z
  .object({
    clientSecret: z
      .string()
      .describe('The secret of the provider’s payment, or of its card setup if nothing is due today.'),
    provider: z.enum(['stripe', 'demo']),
    intent: z
      .enum(['payment', 'setup'])
      .describe('`setup`: only saves the card now; the first charge comes later.'),
    publishableKey: z.string().nullable().describe('The provider’s public key. Null for the demo provider.'),
    dueCents: z.int().describe('Cents due today.'),
  })
  .describe('What the browser needs to confirm a payment.');
export type PaymentStart = z.infer<typeof PaymentStart>;

export const createSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/create-subscription',
  access: 'signed-in',
  keyScope: 'none',
  idempotent: true,
  summary: 'Start a paid plan; it becomes active when the provider confirms the payment',
  description: 'Also upgrades a subscriber to the higher plan; the difference is prorated.',
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
  renewsAt: z.nullable(Instant).describe('When the paid period ends. It renews unless cancelled.'),
  cancelAtPeriodEnd: z.boolean(),
  scheduledTier: z.nullable(PaidTier).describe('The plan from the next period on, after a downgrade.'),
  nextChargeCents: z
    .int()
    .nullable()
    .describe('Cents of the next charge, after discounts. Null if there is none.'),
  discountPercent: z.int(),
  freeUntil: z
    .nullable(Instant)
    .describe('Nothing is charged before this time, thanks to free months of a coupon.'),
  graceEndsAt: z
    .nullable(Instant)
    .describe('After a failed payment: when the plan ends unless the payment succeeds.'),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  provider: z.enum(['stripe', 'demo', 'off']).describe('`off`: plans cannot be bought or changed here.'),
  supportEmail: z
    .string()
    .nullable()
    .describe('The address for priority support. Null if the plan does not include it.'),
});
export type Subscription = z.infer<typeof Subscription>;

export const getSubscription = defineEndpoint({
  method: 'GET',
  path: '/api/subscription',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'The caller’s plan, its renewal and next charge',
  response: Subscription,
});

export const changeSubscription = defineEndpoint({
  method: 'POST',
  path: '/api/change-subscription',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Downgrade at the end of the paid period; the current plan undoes a downgrade',
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
  summary: 'Undo a cancellation before the period ends',
  response: Subscription,
});

export const payOpenInvoice = defineEndpoint({
  method: 'POST',
  path: '/api/pay-open-invoice',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Pay an open invoice after a failed payment, also with another card',
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
  url: z.string().nullable().describe('The provider’s page for this invoice.'),
});
export type Invoice = z.infer<typeof Invoice>;

export const listInvoices = defineEndpoint({
  method: 'GET',
  path: '/api/invoices',
  access: 'signed-in',
  keyScope: 'none',
  summary: "The caller's invoices, newest first, at most 100",
  response: z.array(Invoice),
});

export const CouponPrice = z
  .object({
    code: z.string(),
    tier: PaidTier,
    discountPercent: z.int(),
    freeMonths: z.int(),
    priceCents: z.int().describe('Cents per month without the coupon.'),
    discountedCents: z.int().describe('Cents per month with the coupon.'),
    dueCents: z.int().describe('Cents due today. Zero if the coupon gives free months.'),
    firstChargeAt: Instant,
  })
  .describe('The price of a plan with a coupon.');
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

export const confirmDemoPayment = defineEndpoint({
  method: 'POST',
  path: '/api/demo-payments/confirm',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Pay with a demo card at the built-in demo provider',
  description:
    'Stands in for the form that Stripe provides. This call does not exist if payments go through Stripe.',
  body: z.strictObject({
    clientSecret: z.string().min(1).max(200).refine(isStorableText),
    cardNumber: z
      .string()
      .transform((text) => text.replace(/[\s-]/g, ''))
      .pipe(z.string().regex(/^\d{13,19}$/, 'Please enter the card number')),
    expiry: z
      .string()
      .regex(/^(?:0[1-9]|1[0-2])\s*\/\s*\d{2}$/, 'Please enter month and year, such as 12/30')
      .describe('`MM/YY`.'),
    cvc: z.string().regex(/^\d{3,4}$/, 'Please enter the three or four digits'),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: z.object({ status: z.literal('succeeded') }),
});

export const paymentWebhook = defineEndpoint({
  method: 'POST',
  path: '/api/payments/webhook',
  access: 'public',
  summary: 'Webhook for events of the payment provider',
  description: 'For the payment provider, which signs its events.',
  body: 'stream',
  response: z.object({ received: z.literal(true) }),
});
