import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../client/api-error.ts';

export const SESSION_KEY = ['/api/user'];

/** Queries fetch once and are refreshed explicitly; they do not retry. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndedSession }),
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchInterval: false,
    },
    mutations: { retry: false },
  },
});

/** The session ended elsewhere: pages that need a user redirect to sign-in. A visitor's grant is not a session. */
function noticeEndedSession(error: Error): void {
  if (error instanceof ApiError && error.status === 401 && error.code !== 'visitor_not_verified')
    queryClient.setQueryData(SESSION_KEY, null);
}
