import type { CouponPrice, Subscription } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';

/** '20% off', '2 months free', or both. */
export function describeCoupon({ discountPercent, freeMonths }: CouponPrice): string {
  const months = freeMonths === 1 ? 'The first month free' : `The first ${freeMonths} months free`;
  const percent = `${discountPercent}% off as long as you subscribe`;
  if (freeMonths === 0) return percent;
  return discountPercent === 0 ? months : `${months}, then ${percent}`;
}

/** A coupon is for its plan: a sentence, with the space behind it, for whoever has one and changes to another. */
export function endOfCoupon({
  tier,
  discountPercent,
}: Pick<Subscription, 'tier' | 'discountPercent'>): string {
  if (discountPercent === 0) return '';
  return `Your coupon's ${discountPercent}% off was for ${tierLabel(tier)} and ends with it. `;
}
