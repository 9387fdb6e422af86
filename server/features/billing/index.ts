export { addCoupon, listAllCoupons, removeCoupon, toCouponError } from './coupon-administration.ts';
export { endSubscriptionsOf } from './ending.ts';
export { computeMonthlyRevenueCents } from './revenue.ts';
