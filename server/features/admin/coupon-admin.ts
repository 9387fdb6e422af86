import type { z } from 'zod';
import type { Coupon, CreateCouponInput } from '../../../contracts/admin-plans.ts';
import type { Context } from '../../context.ts';
import type { CouponRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { addCoupon, removeCoupon, listCoupons as selectCoupons, toCouponError } from '../billing/index.ts';
import { type By, noteAct } from './audit.ts';

/** All there are, the newest first. */
export async function listCoupons(context: Pick<Context, 'db'>): Promise<Coupon[]> {
  return (await selectCoupons(context.db)).map(present);
}

/** Throws AppError `coupon_exists`, `expiry_in_past`. */
export async function createCoupon(
  context: Pick<Context, 'db' | 'clock'>,
  by: By,
  { maxUses: uses, expiresAt, ...wish }: z.output<typeof CreateCouponInput>,
): Promise<Coupon> {
  const maxUses = uses ?? null;
  const ends = expiresAt === undefined ? null : Date.parse(expiresAt);
  try {
    const coupon = await transaction(context.db, async (trx) => {
      const added = await addCoupon({ ...context, db: trx }, { ...wish, maxUses, expiresAt: ends });
      const { code, tier, discountPercent, freeMonths } = added;
      const details = { tier, discountPercent, freeMonths, maxUses, expiresAt: toIsoOrNull(ends) };
      await noteAct(trx, { ...by, action: 'coupon.create', subject: code, subjectId: added.id, details });
      return added;
    });
    return present(coupon);
  } catch (error) {
    throw toCouponError(error);
  }
}

/** Subscriptions begun with it keep their discount. Throws AppError `coupon_not_found`. */
export async function deleteCoupon({ db }: Pick<Context, 'db'>, by: By, couponId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const { code, tier, currentUses } = await removeCoupon(trx, couponId);
    const details = { tier, currentUses };
    await noteAct(trx, { ...by, action: 'coupon.delete', subject: code, subjectId: couponId, details });
  });
}

function present({ createdAt, expiresAt, ...coupon }: CouponRow): Coupon {
  return {
    ...coupon,
    usedCount: coupon.currentUses,
    createdAt: toIso(createdAt),
    expiresAt: toIsoOrNull(expiresAt),
  };
}
