import type { FastifyInstance } from 'fastify';
import {
  createCoupon as createCouponCall,
  deleteCoupon as deleteCouponCall,
  listCoupons as listCouponsCall,
} from '../../../contracts/admin/plans.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { byCaller } from './audit.ts';
import { createCoupon, deleteCoupon, listCoupons } from './coupon-admin.ts';

export function couponAdminRoutes(app: FastifyInstance, context: Context): void {
  route(app, listCouponsCall, () => listCoupons(context));
  route(app, createCouponCall, (call) => createCoupon(context, byCaller(context, call), call.body));
  route(app, deleteCouponCall, (call) => deleteCoupon(context, byCaller(context, call), call.params.id));
}
