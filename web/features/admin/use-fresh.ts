import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import { call } from '../../api/call.ts';

/** An answer that is asked for again whenever its page is opened, because all of it goes on meanwhile. */
export function useFresh<R extends z.ZodType>(
  endpoint: Endpoint<z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, R>,
) {
  return useQuery({
    queryKey: [endpoint.path],
    queryFn: ({ signal }) => call(endpoint, { signal } as never) as Promise<z.output<R>>,
    refetchOnMount: 'always',
  });
}
