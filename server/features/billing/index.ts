export { listCoupons } from './coupons/coupon-queries.ts';
export { addCoupon, removeCoupon, toCouponError } from './coupons/coupons.ts';
export { computeMonthlyRevenueCents } from './revenue.ts';
export { endSubscriptionsOf } from './subscription/end-subscription.ts';
