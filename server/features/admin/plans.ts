import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import {
  type Coupon,
  type CreateCouponInput,
  createCoupon as createCouponCall,
  deleteCoupon as deleteCouponCall,
  listCoupons as listCouponsCall,
  updateTierConfig as updateTierConfigCall,
} from '../../../contracts/admin/plans.ts';
import type { TierConfig, UpdateTierConfigInput } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { CouponRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { route } from '../../platform/http/routing/route.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import { addCoupon, listCoupons as listCouponRows, removeCoupon, toCouponError } from '../billing/index.ts';
import { changeTierConfig, getTierConfig } from '../tiers/index.ts';
import { type By, byCaller, recordAct } from './audit.ts';

export function planRoutes(app: FastifyInstance, context: Context): void {
  route(app, updateTierConfigCall, (call) => updateTierConfig(context, byCaller(context, call), call.body));
  route(app, listCouponsCall, () => listCoupons(context));
  route(app, createCouponCall, (call) => createCoupon(context, byCaller(context, call), call.body));
  route(app, deleteCouponCall, (call) => deleteCoupon(context, byCaller(context, call), call.params.id));
}

/**
 * New limits apply from the next request, new prices to subscriptions that start or change. Throws AppError
 * `invalid_input`.
 */
async function updateTierConfig(
  context: Pick<Context, 'db' | 'clock'>,
  by: By,
  changes: UpdateTierConfigInput,
): Promise<TierConfig> {
  return transaction(context.db, async (trx) => {
    const from = await getTierConfig({ db: trx });
    const to = await changeTierConfig({ ...context, db: trx }, changes);
    const subject = 'Limits and prices of the plans';
    await recordAct(trx, { ...by, action: 'tier-config.update', subject, details: { from, to } });
    return to;
  });
}

async function listCoupons(context: Pick<Context, 'db'>): Promise<Coupon[]> {
  return (await listCouponRows(context.db)).map(present);
}

async function createCoupon(
  context: Pick<Context, 'db' | 'clock'>,
  by: By,
  { maxUses: uses, expiresAt, ...input }: z.output<typeof CreateCouponInput>,
): Promise<Coupon> {
  const maxUses = uses ?? null;
  const ends = expiresAt === undefined ? null : Date.parse(expiresAt);
  try {
    const coupon = await transaction(context.db, async (trx) => {
      const added = await addCoupon({ ...context, db: trx }, { ...input, maxUses, expiresAt: ends });
      const { code, tier, discountPercent, freeMonths } = added;
      const details = { tier, discountPercent, freeMonths, maxUses, expiresAt: toIsoOrNull(ends) };
      await recordAct(trx, { ...by, action: 'coupon.create', subject: code, subjectId: added.id, details });
      return added;
    });
    return present(coupon);
  } catch (error) {
    throw toCouponError(error);
  }
}

async function deleteCoupon({ db }: Pick<Context, 'db'>, by: By, couponId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const { code, tier, currentUses } = await removeCoupon(trx, couponId);
    const details = { tier, currentUses };
    await recordAct(trx, { ...by, action: 'coupon.delete', subject: code, subjectId: couponId, details });
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
