import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import { call } from '../../api/call.ts';

/** Queries an endpoint without input and refetches whenever the page is opened. */
export function useFresh<R extends z.ZodType>(
  endpoint: Endpoint<z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, R>,
) {
  return useQuery({
    queryKey: [endpoint.path],
    queryFn: ({ signal }) => call(endpoint, { signal } as never) as Promise<z.output<R>>,
    refetchOnMount: 'always',
  });
}
