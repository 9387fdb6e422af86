import { useQuery } from '@tanstack/react-query';
import { getTierConfig } from '../../../contracts/plans/tiers.ts';
import { call } from '../../api/call.ts';

/** What the plans hold and cost now; there is no fallback for a price. */
export function usePlans() {
  return useQuery({
    queryKey: ['/api/tier-config'],
    queryFn: ({ signal }) => call(getTierConfig, { signal }),
    staleTime: 0,
  });
}
