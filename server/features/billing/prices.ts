import type { PaidTier } from '../../../contracts/billing.ts';
import type { TierConfig } from '../../../contracts/tiers.ts';

/** Cents a month; the configuration has dollars. */
export function priceCentsOf(config: TierConfig, tier: PaidTier): number {
  return Math.round(config[tier].price * 100);
}
