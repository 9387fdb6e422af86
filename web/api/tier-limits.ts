import { useQuery } from '@tanstack/react-query';
import { DEFAULT_TIER_CONFIG, getTierConfig, type TierConfig } from '../../contracts/plans/tiers.ts';
import { queryOf } from './endpoint-query.ts';

/** Returns the default limits until the configuration is loaded. */
export function useTierConfig(): { tiers: TierConfig; isLoading: boolean } {
  const { data, isLoading } = useQuery({
    ...queryOf(getTierConfig),
  });
  const { free } = DEFAULT_TIER_CONFIG;
  const fallback = { free, pro: { ...free, price: 0 }, premium: { ...free, price: 0 } };
  return { tiers: data ?? fallback, isLoading };
}
