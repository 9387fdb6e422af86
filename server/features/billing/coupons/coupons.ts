import { errorMessage } from '../../../../contracts/errors.ts';
import type { CouponPrice, PaidTier } from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { isUniqueViolation } from '../../../platform/db/engines/errors.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { CouponRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { refundCounter, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { addMonths, discountedCents } from '../../../platform/payments/calculations.ts';
import { getTierConfig } from '../../tiers/index.ts';
import { priceCentsOf } from '../plan-rules.ts';
import {
  claimUse,
  deleteCoupon,
  deleteReservation,
  deleteStaleReservation,
  findCoupon,
  findUse,
  insertCoupon,
  insertReservation,
  listStaleReservations,
  releaseUse,
  renewReservation,
} from './coupon-queries.ts';

/** Both payment providers end unpaid attempts within a day. */
const RESERVATION_MS = DAY_MS;

const STALE_AT_ONCE = 100;

type CouponRequest = { code: string; tier: PaidTier; userId: string };

/**
 * The price in cents, rounded half up; reserves nothing. Throws AppError `coupon_not_found`, `coupon_wrong_tier`,
 * `coupon_expired`, `coupon_already_used`, `coupon_used_up`.
 */
export async function priceWithCoupon(
  context: Pick<Context, 'db' | 'clock'>,
  { code, tier, userId }: CouponRequest,
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
 * Counts unknown codes per user and per network address, so that codes cannot be guessed. Throws AppError
 * `too_many_requests`.
 */
export async function limitWrongCodes<T>(
  deps: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, addressKey }: { userId: string; addressKey: string },
  lookup: () => Promise<T>,
): Promise<T> {
  const byUser = { key: `coupon:${userId}`, limit: 30, windowMs: HOUR_MS };
  const byAddress = { key: `coupon:address:${addressKey}`, limit: 100, windowMs: HOUR_MS };
  const tries = [byUser, byAddress];
  for (const each of tries) await requireWithinLimit(deps, each);
  let isWrong = false;
  try {
    return await lookup();
  } catch (error) {
    isWrong = isAppError(error, 'coupon_not_found');
    throw error;
  } finally {
    if (!isWrong) for (const each of tries) await refundCounter(deps, each);
  }
}

/**
 * Reserves a use for a subscription that is about to start. Reuses the user's reservation from an unpaid attempt, so
 * that each user has at most one. Throws what `priceWithCoupon` throws.
 */
export async function reserveCoupon(
  trx: Trx,
  { clock }: Pick<Context, 'clock'>,
  { code, tier, userId }: CouponRequest,
): Promise<{ couponId: string; code: string; discountPercent: number; freeMonths: number }> {
  const now = clock.now();
  const coupon = requireFitting(await findCoupon(trx, code), tier, now);
  const { id: couponId, discountPercent, freeMonths } = coupon;
  const reservation = { couponId, userId, createdAt: now };
  // Insert the user's row before counting, so that no user counts twice.
  if (await insertReservation(trx, reservation)) {
    if (!(await claimUse(trx, couponId, now))) throw new AppError('coupon_used_up');
  } else if (!(await renewReservation(trx, reservation))) {
    throw new AppError('coupon_already_used');
  }
  return { couponId, code: coupon.code, discountPercent, freeMonths };
}

function requireFitting(coupon: CouponRow | undefined, tier: PaidTier, now: Instant): CouponRow {
  if (!coupon) throw new AppError('coupon_not_found');
  if (coupon.tier !== tier)
    throw new AppError('coupon_wrong_tier', { details: { tier: tierLabel(coupon.tier) } });
  if (coupon.expiresAt !== null && coupon.expiresAt <= now) throw new AppError('coupon_expired');
  return coupon;
}

/** Releases the use of an attempt that ended unpaid. Idempotent. */
export async function releaseReservation(trx: Trx, providerSubscriptionId: string): Promise<void> {
  const couponId = await deleteReservation(trx, providerSubscriptionId);
  if (couponId !== undefined) await releaseUse(trx, couponId);
}

/** Returns how many reservations it released. */
export async function releaseStaleReservations({
  db,
  clock,
}: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const before = clock.now() - RESERVATION_MS;
  const ids = await listStaleReservations(db, before, STALE_AT_ONCE);
  for (const id of ids) {
    await transaction(db, async (trx) => {
      const couponId = await deleteStaleReservation(trx, id, before);
      if (couponId !== undefined) await releaseUse(trx, couponId);
    });
  }
  return ids.length;
}

type NewCoupon = Omit<CouponRow, 'id' | 'currentUses' | 'createdAt'>;

/** Stores the code in upper case. An existing code fails with a unique violation, which `toCouponError` translates. */
export async function addCoupon(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  wanted: NewCoupon,
): Promise<CouponRow> {
  const now = clock.now();
  if (wanted.expiresAt !== null && wanted.expiresAt <= now)
    throw new AppError('expiry_in_past', { errors: { expiresAt: errorMessage('expiry_in_past') } });
  return insertCoupon(trx, { ...wanted, id: randomId(), currentUses: 0, createdAt: now });
}

/** Existing subscriptions keep their discount. */
export async function removeCoupon(trx: Trx, couponId: string): Promise<CouponRow> {
  const coupon = await deleteCoupon(trx, couponId);
  if (!coupon) throw new AppError('coupon_not_found');
  return coupon;
}

/** Turns a unique violation of the code into its AppError; returns other errors unchanged. */
export function toCouponError(error: unknown): unknown {
  return isUniqueViolation(error, 'coupons.code')
    ? new AppError('coupon_exists', { errors: { code: errorMessage('coupon_exists') } })
    : error;
}
