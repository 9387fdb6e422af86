import { plural, t } from '@lingui/core/macro';
import type { CouponPrice, Subscription } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';

/** '20% off', '2 months free', or both. */
export function describeCoupon({ discountPercent, freeMonths }: CouponPrice): string {
  if (freeMonths === 0) return t`${discountPercent}% off as long as you subscribe`;
  if (discountPercent === 0)
    return plural(freeMonths, { one: 'The first month free', other: 'The first # months free' });
  return plural(freeMonths, {
    one: `The first month free, then ${discountPercent}% off as long as you subscribe`,
    other: `The first # months free, then ${discountPercent}% off as long as you subscribe`,
  });
}

/** Warns that a coupon does not apply to another plan; empty without a discount. */
export function endOfCoupon({
  tier,
  discountPercent,
}: Pick<Subscription, 'tier' | 'discountPercent'>): string {
  if (discountPercent === 0) return '';
  const plan = tierLabel(tier);
  return t`Your coupon's ${discountPercent}% discount applies only to ${plan} and ends with it.`;
}
