import type { FastifyInstance } from 'fastify';
import { checkCoupon } from '../../../contracts/plans/billing.ts';
import type { Context } from '../../context.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { route } from '../../platform/http/route.ts';
import { countingWrongCodes, priceWithCoupon } from './coupons.ts';
import { requireSales } from './sales.ts';

export function couponRoutes(app: FastifyInstance, context: Context): void {
  route(app, checkCoupon, ({ user, body, request }) => {
    requireSales(context);
    const caller = { userId: user.id, addressKey: addressKey(request) };
    return countingWrongCodes(context, caller, () => priceWithCoupon(context, { ...body, userId: user.id }));
  });
}
