import { useQuery } from '@tanstack/react-query';
import { getSite, type Site } from '../../contracts/system.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';

const SITE_KEY = [getSite.path];

/** How this installation takes payments and registrations; undefined until it is known. */
export function useSite(): { site: Site | undefined; error: Error | null; refetch: () => void } {
  const { data, error, refetch } = useQuery({
    queryKey: SITE_KEY,
    queryFn: ({ signal }) => call(getSite, { signal }),
  });
  return { site: data, error, refetch: () => void refetch() };
}

/** Asks again, after an administrator has changed something. */
export function refreshSite(): void {
  void queryClient.invalidateQueries({ queryKey: SITE_KEY });
}
