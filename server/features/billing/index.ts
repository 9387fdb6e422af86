export { listCoupons } from './coupon-queries.ts';
export { addCoupon, removeCoupon, toCouponError } from './coupons.ts';
export { endSubscriptionsOf } from './end-subscription.ts';
export { computeMonthlyRevenueCents } from './revenue.ts';
