import { useQuery } from '@tanstack/react-query';
import { getMailServer } from '../../contracts/admin/system.ts';
import { queryOf } from './endpoint-query.ts';

/** Whether emails leave this server; undefined until it is known. For administrators. */
export function useHasMailServer(): boolean | undefined {
  // Changes only when the server restarts.
  const { data } = useQuery({ ...queryOf(getMailServer), staleTime: Number.POSITIVE_INFINITY });
  return data?.hasMailServer;
}
