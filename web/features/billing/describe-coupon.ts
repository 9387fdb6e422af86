import type { CouponPrice } from '../../../contracts/billing.ts';

/** '20% off', '2 months free', or both. */
export function describeCoupon({ discountPercent, freeMonths }: CouponPrice): string {
  const months = freeMonths === 1 ? 'The first month free' : `The first ${freeMonths} months free`;
  const percent = `${discountPercent}% off as long as you subscribe`;
  if (freeMonths === 0) return percent;
  return discountPercent === 0 ? months : `${months}, then ${percent}`;
}
