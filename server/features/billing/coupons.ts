import type { CouponPrice, PaidTier } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { CouponRow, Instant } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { giveBackTry, takeTry } from '../../platform/http/rate-limits.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, HOUR_MS, toIso } from '../../platform/lib/clock.ts';
import { addMonths, discountedCents } from '../../platform/payments/calculations.ts';
import { getTierConfig } from '../tiers/index.ts';
import {
  deleteHold,
  deleteStaleHold,
  findCoupon,
  findUse,
  insertHold,
  listStaleHolds,
  renewHold,
  returnUse,
  setHoldSubscription,
  setRedeemed,
  takeUse,
} from './coupon-queries.ts';
import { priceCentsOf } from './prices.ts';

/** An attempt that nobody pays ends within a day, at either provider. */
const HOLD_MS = DAY_MS;
const STALE_AT_ONCE = 100;

/** What somebody types into the coupon field; `code` in upper case. */
export type CouponWish = { code: string; tier: PaidTier; userId: string };

/**
 * What a plan costs with a coupon, in cents rounded half up; nothing is taken. Throws AppError
 * `coupon_not_found`, `coupon_wrong_tier`, `coupon_expired`, `coupon_already_used`, `coupon_used_up`.
 */
export async function priceWithCoupon(
  context: Pick<Context, 'db' | 'clock'>,
  { code, tier, userId }: CouponWish,
): Promise<CouponPrice> {
  const { db, clock } = context;
  const now = clock.now();
  const coupon = requireFitting(await findCoupon(db, code), tier, now);
  const use = await findUse(db, { couponId: coupon.id, userId });
  if (use === 'redeemed') throw new AppError('coupon_already_used');
  if (use === undefined && coupon.maxUses !== null && coupon.currentUses >= coupon.maxUses)
    throw new AppError('coupon_used_up');
  const { discountPercent, freeMonths } = coupon;
  const priceCents = priceCentsOf(await getTierConfig(context), tier);
  const discounted = discountedCents(priceCents, discountPercent);
  return {
    code: coupon.code,
    tier,
    discountPercent,
    freeMonths,
    priceCents,
    discountedCents: discounted,
    dueCents: freeMonths > 0 ? 0 : discounted,
    firstChargeAt: toIso(addMonths(now, freeMonths)),
  };
}

/**
 * Takes a use for a subscription that is to be begun. A use that this user holds already, for an attempt that
 * was never paid, is used again: one per user. Throws as `priceWithCoupon`.
 */
export async function holdCoupon(
  trx: Trx,
  { clock }: Pick<Context, 'clock'>,
  { code, tier, userId }: CouponWish,
): Promise<{ couponId: string; code: string; discountPercent: number; freeMonths: number }> {
  const now = clock.now();
  const coupon = requireFitting(await findCoupon(trx, code), tier, now);
  const { id: couponId, discountPercent, freeMonths } = coupon;
  const hold = { couponId, userId, createdAt: now };
  // The user's row comes before the count, so that nobody counts twice.
  if (await insertHold(trx, hold)) {
    if (!(await takeUse(trx, couponId, now))) throw new AppError('coupon_used_up');
  } else if (!(await renewHold(trx, hold))) {
    throw new AppError('coupon_already_used');
  }
  return { couponId, code: coupon.code, discountPercent, freeMonths };
}

/** Says which subscription a held use is for, as soon as the provider has begun it. */
export async function tieHold(
  trx: Trx,
  tie: { couponId: string; userId: string; providerSubscriptionId: string },
): Promise<void> {
  await setHoldSubscription(trx, tie);
}

/** The subscription is paid, or its card is taken: the use is gone for good. Again, or without a coupon: nothing. */
export async function redeemHold(trx: Trx, providerSubscriptionId: string): Promise<void> {
  await setRedeemed(trx, providerSubscriptionId);
}

/** The attempt has ended unpaid: somebody else may have its use. Again, redeemed, or without a coupon: nothing. */
export async function giveHoldBack(trx: Trx, providerSubscriptionId: string): Promise<void> {
  const couponId = await deleteHold(trx, providerSubscriptionId);
  if (couponId !== undefined) await returnUse(trx, couponId);
}

/** Gives back what attempts hold that ended, or were never begun, a day ago; returns how many. */
export async function giveBackStaleHolds({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const before = clock.now() - HOLD_MS;
  const ids = await listStaleHolds(db, before, STALE_AT_ONCE);
  for (const id of ids) {
    await transaction(db, async (trx) => {
      const couponId = await deleteStaleHold(trx, id, before);
      if (couponId !== undefined) await returnUse(trx, couponId);
    });
  }
  return ids.length;
}

/**
 * Runs something that looks a code up, and counts codes that do not exist, by user and by network address:
 * nobody finds one by guessing. Throws AppError `too_many_requests`.
 */
export async function countingWrongCodes<T>(
  deps: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, addressKey }: { userId: string; addressKey: string },
  lookUp: () => Promise<T>,
): Promise<T> {
  const byUser = { key: `coupon:${userId}`, limit: 30, windowMs: HOUR_MS };
  const byAddress = { key: `coupon:address:${addressKey}`, limit: 100, windowMs: HOUR_MS };
  const tries = [byUser, byAddress];
  for (const each of tries) await takeTry(deps, each);
  let isWrong = false;
  try {
    return await lookUp();
  } catch (error) {
    isWrong = isAppError(error, 'coupon_not_found');
    throw error;
  } finally {
    if (!isWrong) for (const each of tries) await giveBackTry(deps, each);
  }
}

/** Throws AppError `coupon_not_found`, `coupon_wrong_tier`, `coupon_expired`. */
function requireFitting(coupon: CouponRow | undefined, tier: PaidTier, now: Instant): CouponRow {
  if (!coupon) throw new AppError('coupon_not_found');
  if (coupon.tier !== tier)
    throw new AppError('coupon_wrong_tier', { details: { tier: tierLabel(coupon.tier) } });
  if (coupon.expiresAt !== null && coupon.expiresAt <= now) throw new AppError('coupon_expired');
  return coupon;
}
