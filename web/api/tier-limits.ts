import { useQuery } from '@tanstack/react-query';
import { DEFAULT_TIER_CONFIG, getTierConfig, type TierConfig } from '../../contracts/plans/tiers.ts';
import { queryOf } from './endpoint-query.ts';

/** Returns the default limits while the configuration loads, and if that fails; `isKnown` is false while it loads. */
export function useTierConfig(): { tiers: TierConfig; isKnown: boolean; isLoading: boolean } {
  const { data, isLoading, isError } = useQuery({
    ...queryOf(getTierConfig),
  });
  const { free } = DEFAULT_TIER_CONFIG;
  const fallback = { free, pro: { ...free, price: 0 }, premium: { ...free, price: 0 } };
  return { tiers: data ?? fallback, isKnown: data !== undefined || isError, isLoading };
}
