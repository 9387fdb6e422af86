import { useQuery } from '@tanstack/react-query';
import { getSite, type Site } from '../../contracts/system.ts';
import { queryOf } from './endpoint-query.ts';

/** How this installation takes payments and registrations; undefined until it is known. */
export function useSite(): { site: Site | undefined; error: Error | null; refetch: () => void } {
  const { data, error, refetch } = useQuery({
    ...queryOf(getSite),
  });
  return { site: data, error, refetch: () => void refetch() };
}
