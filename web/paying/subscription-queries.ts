import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../client/api-error.ts';
import type { CurrentUser } from '../../contracts/accounts/accounts.ts';
import { getSubscription, listInvoices, type Subscription } from '../../contracts/plans/billing.ts';
import { call } from '../api/call.ts';
import { invalidate, queryOf } from '../api/endpoint-query.ts';
import { queryClient, queryKeyOf, SESSION_KEY } from '../api/query-client.ts';
import { refreshSession } from '../api/session/session.ts';

/** The caller's plan, refetched on every visit. */
export function useSubscription(user: CurrentUser | null | undefined) {
  return useQuery({
    queryKey: queryKeyOf(getSubscription),
    queryFn: ({ signal }) => fetchSubscription(signal),
    staleTime: 0,
    enabled: user?.emailVerified === true,
  });
}

/** Past charges, newest first, refetched on every visit once `isReady`. */
export function useInvoices(isReady: boolean) {
  return useQuery({
    ...queryOf(listInvoices),
    staleTime: 0,
    enabled: isReady,
  });
}

/** Also refreshes the session if the plan has changed. */
export async function fetchSubscription(signal?: AbortSignal): Promise<Subscription> {
  const subscription = await call(getSubscription, signal && { signal });
  await refreshOutdatedSession(subscription);
  return subscription;
}

/** Caches the response of a plan change and refetches the invoices. */
export async function keepSubscription(subscription: Subscription): Promise<void> {
  queryClient.setQueryData(queryKeyOf(getSubscription), subscription);
  await Promise.all([refreshOutdatedSession(subscription), invalidate(listInvoices)]);
}

/** A running subscription can be changed; otherwise a new one is created. */
export function isRunning(subscription: Subscription | undefined): subscription is Subscription {
  return subscription !== undefined && ['active', 'trialing', 'past_due'].includes(subscription.status);
}

async function refreshOutdatedSession({ tier, status }: Subscription): Promise<void> {
  const user = queryClient.getQueryData<CurrentUser | null>(SESSION_KEY);
  if (user && user.tier !== tier && status !== 'incomplete') await refreshSession();
}

const PAUSE_MS = 1000;
const TRIES = 30;

/**
 * Polls the server until the subscription is as paid for, because only the provider confirms payments. Returns
 * undefined after half a minute. Retries failed calls. Throws ApiError when the session has ended, and the signal's
 * reason when aborted.
 */
export async function waitForSubscription(
  isReached: (subscription: Subscription) => boolean,
  signal: AbortSignal,
): Promise<Subscription | undefined> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await pause();
    signal.throwIfAborted();
    const subscription = await askOnce(signal);
    if (!subscription || !isReached(subscription)) continue;
    await keepSubscription(subscription);
    return subscription;
  }
  return undefined;
}

async function askOnce(signal: AbortSignal): Promise<Subscription | undefined> {
  try {
    return await fetchSubscription(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError && error.status === 401) throw error;
    return undefined;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS);
  });
}
