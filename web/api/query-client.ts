import { QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from '../../client/api-error.ts';
import type { AnyInput } from '../../client/call.ts';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { keepLastUser } from './session/last-user.ts';

export type QueryInput = Pick<AnyInput, 'params' | 'query' | 'body'>;

/** The key of a cached response. Without input: the prefix of all cached responses of the endpoint. */
export function queryKeyOf({ path }: Pick<Endpoint, 'path'>, input?: QueryInput): QueryKey {
  return input ? [path, input] : [path];
}

export const SESSION_KEY = queryKeyOf(getCurrentUser);

/** Queries fetch once and are refreshed explicitly; they do not retry. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeChangedSession }),
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchInterval: false,
    },
    // Fail immediately when offline instead of waiting for the network.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/**
 * The session ended elsewhere: pages that need a user redirect to sign-in. A visitor's grant is not a session. If the
 * administrator now requires a second factor, the pages ask for it.
 */
function noticeChangedSession(error: Error): void {
  if (!(error instanceof ApiError)) return;
  if (error.status === 401 && error.code !== 'visitor_not_verified') {
    keepLastUser(null);
    queryClient.setQueryData(SESSION_KEY, null);
  }
  if (error.code === 'second_factor_setup_required')
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}
