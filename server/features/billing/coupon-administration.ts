import { errorMessage } from '../../../contracts/errors.ts';
import type { Context } from '../../context.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { CouponRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { deleteCoupon, insertCoupon, listCoupons } from './coupon-queries.ts';

type NewCoupon = Omit<CouponRow, 'id' | 'currentUses' | 'createdAt'>;

/** All there are, the newest first. */
export function listAllCoupons({ db }: { db: Db }): Promise<CouponRow[]> {
  return listCoupons(db);
}

/**
 * Creates a coupon; its code is in upper case. A code that exists leaves the transaction as a unique violation
 * (race 28): `toCouponError` puts it into words. Throws AppError `expiry_in_past`.
 */
export async function addCoupon(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  wish: NewCoupon,
): Promise<CouponRow> {
  const now = clock.now();
  if (wish.expiresAt !== null && wish.expiresAt <= now)
    throw new AppError('expiry_in_past', { errors: { expiresAt: errorMessage('expiry_in_past') } });
  return insertCoupon(trx, { ...wish, id: randomId(), currentUses: 0, createdAt: now });
}

/** Subscriptions begun with it keep their discount. Throws AppError `coupon_not_found`. */
export async function removeCoupon(trx: Trx, couponId: string): Promise<CouponRow> {
  const coupon = await deleteCoupon(trx, couponId);
  if (!coupon) throw new AppError('coupon_not_found');
  return coupon;
}

/** Says at its field that there is a coupon with this code; any other error stays what it is. */
export function toCouponError(error: unknown): unknown {
  return isUniqueViolation(error, 'coupons.code')
    ? new AppError('coupon_exists', { errors: { code: errorMessage('coupon_exists') } })
    : error;
}
