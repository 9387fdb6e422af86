import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { CouponCode, PaidTier } from '../plans/billing.ts';
import { TierConfig, UpdateTierConfigInput } from '../plans/tiers.ts';
import { blankAsAbsent } from '../transfers/transfers.ts';
import { Id, Instant, InstantInput } from '../values/fields.ts';

const ById = z.object({ id: Id });

export const Coupon = z.object({
  id: z.string(),
  code: z.string(),
  discountPercent: z.int(),
  freeMonths: z.int(),
  tier: PaidTier,
  maxUses: z.int().nullable(),
  currentUses: z.int(),
  usedCount: z.int().describe('The same number as `currentUses`.'),
  expiresAt: Instant.nullable(),
  createdAt: Instant,
});
export type Coupon = z.infer<typeof Coupon>;

export const CreateCouponInput = z.strictObject({
  code: CouponCode.pipe(z.string().regex(/^[A-Z0-9._-]+$/, 'Please use letters, digits, dots and dashes')),
  discountPercent: z.int().min(0, 'Please enter 0 to 100').max(100, 'Please enter 0 to 100').default(0),
  freeMonths: z.int().min(0, 'Please enter 0 or more months').max(36, 'Please enter at most 36').default(0),
  tier: PaidTier,
  maxUses: blankAsAbsent(z.int().min(1, 'Please enter at least 1, or leave it empty').max(1_000_000_000)),
  expiresAt: blankAsAbsent(InstantInput),
});

export const listCoupons = defineEndpoint({
  method: 'GET',
  path: '/api/admin/coupons',
  access: 'admin',
  summary: 'All coupons, newest first',
  response: z.array(Coupon),
});

export const createCoupon = defineEndpoint({
  method: 'POST',
  path: '/api/admin/coupons',
  access: 'admin-step-up',
  idempotent: true,
  summary: 'Create a coupon; its code is stored in upper case',
  body: CreateCouponInput,
  response: Coupon,
  status: 201,
});

export const deleteCoupon = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/coupons/:id',
  access: 'admin-step-up',
  summary: 'Delete a coupon; subscriptions that started with it keep their discount',
  params: ById,
  response: 'empty',
});

export const updateTierConfig = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/tier-config',
  access: 'admin-step-up',
  summary: 'Change limits and prices of the plans; applies from the next request on',
  body: UpdateTierConfigInput,
  response: TierConfig,
});
