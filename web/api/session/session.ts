import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../client/api-error.ts';
import {
  type CurrentUser,
  getCurrentUser,
  logout as logoutEndpoint,
} from '../../../contracts/accounts/accounts.ts';
import { call } from '../call.ts';
import { queryClient, SESSION_KEY } from '../query-client.ts';
import { keepLastUser } from './last-user.ts';

async function fetchUser(): Promise<CurrentUser | null> {
  try {
    const user = await call(getCurrentUser);
    keepLastUser(user);
    return user;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      keepLastUser(null);
      return null;
    }
    throw error;
  }
}

type Session = {
  /** `undefined` while unknown, `null` if nobody is signed in or `error` is set, else the user. */
  user: CurrentUser | null | undefined;
  isLoading: boolean;
  /** Why it is unknown who is signed in. A known user stays when they cannot be fetched again. */
  error: Error | null;
};

export function useSession(): Session {
  const { data, error } = useQuery({ queryKey: SESSION_KEY, queryFn: fetchUser });
  if (data !== undefined) return { user: data, isLoading: false, error: null };
  // Not the query's own `isLoading`, which is false while it waits for a connection.
  return error ? { user: null, isLoading: false, error } : { user: undefined, isLoading: true, error };
}

/** Login and verification return the user, so no refetch is needed. */
export function setSessionUser(user: CurrentUser | null): void {
  keepLastUser(user);
  queryClient.setQueryData(SESSION_KEY, user);
}

export async function refreshSession(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}

/** Also signs out at the provider with which the session began. */
export async function logout(): Promise<void> {
  const { logoutUrl } = await call(logoutEndpoint);
  forgetSession();
  if (logoutUrl) window.location.assign(logoutUrl);
}

const endings = new Set<() => void>();

/** Runs a callback whenever the user of this page signs out. */
export function onSessionEnd(run: () => void): void {
  endings.add(run);
}

/** For a session that has already ended on the server. Clears everything fetched during it. */
export function forgetSession(): void {
  for (const run of endings) run();
  queryClient.clear();
  setSessionUser(null);
}
