import type { Context } from '../../server/context.ts';
import type { CouponRow } from '../../server/platform/db/schema.ts';
import { randomId } from '../../server/platform/lib/tokens.ts';

/** By default 50 % off Pro, without expiry. */
export async function createCoupon(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  wish: Partial<CouponRow> = {},
): Promise<CouponRow> {
  const coupon: CouponRow = {
    id: randomId(),
    code: 'HALF',
    discountPercent: 50,
    freeMonths: 0,
    tier: 'pro',
    maxUses: null,
    currentUses: 0,
    expiresAt: null,
    createdAt: clock.now(),
    ...wish,
  };
  await db.insertInto('coupons').values(coupon).execute();
  return coupon;
}

/** The counted uses of a coupon, and the number of reserved and redeemed ones. */
export async function countUses(
  { db }: Pick<Context, 'db'>,
  couponId: string,
): Promise<{ currentUses: number; held: number; redeemed: number }> {
  const coupon = await db
    .selectFrom('coupons')
    .select('currentUses')
    .where('id', '=', couponId)
    .executeTakeFirstOrThrow();
  const uses = await db
    .selectFrom('couponRedemptions')
    .select('state')
    .where('couponId', '=', couponId)
    .execute();
  return {
    currentUses: coupon.currentUses,
    held: uses.filter(({ state }) => state === 'held').length,
    redeemed: uses.filter(({ state }) => state === 'redeemed').length,
  };
}
