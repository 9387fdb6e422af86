import { useQuery } from '@tanstack/react-query';
import { getSite, type Site } from '../../contracts/system.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';

const SITE_KEY = [getSite.path];

/** How this installation handles payments and registration; undefined while loading. */
export function useSite(): { site: Site | undefined; error: Error | null; refetch: () => void } {
  const { data, error, refetch } = useQuery({
    queryKey: SITE_KEY,
    queryFn: ({ signal }) => call(getSite, { signal }),
  });
  return { site: data, error, refetch: () => void refetch() };
}

/** Refetches after an administrator's change. */
export function refreshSite(): void {
  void queryClient.invalidateQueries({ queryKey: SITE_KEY });
}
