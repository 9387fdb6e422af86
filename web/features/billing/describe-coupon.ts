import { t } from '@lingui/core/macro';
import type { CouponPrice, Subscription } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';

/** '20% off', '2 months free', or both. */
export function describeCoupon({ discountPercent, freeMonths }: CouponPrice): string {
  const months = freeMonths === 1 ? t`The first month free` : t`The first ${freeMonths} months free`;
  const percent = t`${discountPercent}% off as long as you subscribe`;
  if (freeMonths === 0) return percent;
  return discountPercent === 0 ? months : t`${months}, then ${percent}`;
}

/** The sentence, with a trailing space, that a coupon does not apply to another plan. */
export function endOfCoupon({
  tier,
  discountPercent,
}: Pick<Subscription, 'tier' | 'discountPercent'>): string {
  if (discountPercent === 0) return '';
  return t`Your coupon's ${discountPercent}% off was for ${tierLabel(tier)} and ends with it. `;
}
