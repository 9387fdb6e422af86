import { DEFAULT_TIER_CONFIG } from '../../../contracts/plans/tiers.ts';
import { formatTierNumber, type TierNumberName } from '../../lib/values/tier-numbers.ts';

/** A plan's limit on a prerendered page: the default, until static-script.ts has fetched the current one. */
export function TierNumber({ name }: { name: TierNumberName }) {
  return <span data-tier-number={name}>{formatTierNumber(DEFAULT_TIER_CONFIG, name)}</span>;
}
