import type { PaidTier } from '../../../contracts/plans/billing.ts';
import type { TierConfig } from '../../../contracts/plans/tiers.ts';

/** Cents a month; the configuration has dollars. */
export function priceCentsOf(config: TierConfig, tier: PaidTier): number {
  return Math.round(config[tier].price * 100);
}
