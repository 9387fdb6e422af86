import { useQuery } from '@tanstack/react-query';
import type { CurrentUser } from '../../contracts/accounts/accounts.ts';
import { getSubscription, listInvoices, type Subscription } from '../../contracts/plans/billing.ts';
import { call } from '../api/call.ts';
import { invalidate, queryOf } from '../api/endpoint-query.ts';
import { queryClient, queryKeyOf, SESSION_KEY } from '../api/query-client.ts';
import { refreshSession } from '../api/session.ts';

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

/** Asks the server, and lets the session know when the plan has changed since it began. */
export async function fetchSubscription(signal?: AbortSignal): Promise<Subscription> {
  const subscription = await call(getSubscription, signal && { signal });
  await refreshOutdatedSession(subscription);
  return subscription;
}

/** What a change of the plan answered is shown at once; its invoices are asked for again. */
export async function keepSubscription(subscription: Subscription): Promise<void> {
  queryClient.setQueryData(queryKeyOf(getSubscription), subscription);
  await Promise.all([refreshOutdatedSession(subscription), invalidate(listInvoices)]);
}

/** Whether it is paid or will be, so that it is changed instead of created. */
export function isRunning(subscription: Subscription | undefined): subscription is Subscription {
  return subscription !== undefined && ['active', 'trialing', 'past_due'].includes(subscription.status);
}

async function refreshOutdatedSession({ tier, status }: Subscription): Promise<void> {
  const user = queryClient.getQueryData<CurrentUser | null>(SESSION_KEY);
  if (user && user.tier !== tier && status !== 'incomplete') await refreshSession();
}
