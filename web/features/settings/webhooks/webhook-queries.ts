import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { ApiError, refusalText } from '../../../../client/api-error.ts';
import {
  type CreateWebhookInput,
  createWebhook,
  DELIVERIES_PER_PAGE,
  type DeliveryState,
  deleteWebhook,
  getWebhookDelivery,
  getWebhookSecret,
  listWebhookDeliveries,
  listWebhooks,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  type UpdateWebhookInput,
  updateWebhook,
  type Webhook,
  type WebhookDelivery,
} from '../../../../contracts/accounts/webhooks.ts';
import { call, callPage } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { refreshSession } from '../../../api/session.ts';
import { toast } from '../../../components/feedback/toast.ts';

const WEBHOOKS_KEY = ['/api/webhooks'];
const deliveriesKey = (id: string) => ['/api/webhooks', id, 'deliveries'];
/** Poll intervals of the log: while a delivery is due soon, and otherwise. */
const BUSY_MS = 1_500;
const CALM_MS = 15_000;

export function useWebhooks(isIncluded: boolean) {
  return useQuery({
    queryKey: WEBHOOKS_KEY,
    queryFn: ({ signal }) => call(listWebhooks, { signal }),
    enabled: isIncluded,
    staleTime: 0,
    // The server records failures and may disable a webhook.
    refetchInterval: CALM_MS,
  });
}

export function useCreateWebhook() {
  return useMutation({
    mutationFn: (body: CreateWebhookInput) => call(createWebhook, { body }),
    onSuccess: ({ secret: _, ...made }) => changeListed((listed) => [...listed, made]),
    onError: showRefusal,
  });
}

export function useUpdateWebhook(id: string) {
  return useMutation({
    mutationFn: (body: UpdateWebhookInput) => call(updateWebhook, { params: { id }, body }),
    onSuccess: replaceListed,
    onError: showRefusal,
  });
}

export function useDeleteWebhook(id: string) {
  return useMutation({
    mutationFn: () => call(deleteWebhook, { params: { id } }),
    onSuccess: () => {
      changeListed((listed) => listed.filter((each) => each.id !== id));
      toast({ title: 'Webhook deleted' });
    },
    onError: showRefusal,
  });
}

/** Fetched each time, so that secrets don't stay in memory. */
export function useWebhookSecret(id: string) {
  return useQuery({
    queryKey: ['/api/webhooks', id, 'secret'],
    queryFn: ({ signal }) => call(getWebhookSecret, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
}

export function useRotateSecret(id: string) {
  return useMutation({
    mutationFn: () => call(rotateWebhookSecret, { params: { id } }),
    onSuccess: ({ secret, ...changed }) => {
      replaceListed(changed);
      queryClient.setQueryData(['/api/webhooks', id, 'secret'], { secret });
      toast({ title: 'New secret', description: 'Events are also signed with the old one for 24 hours.' });
    },
    onError: showRefusal,
  });
}

export function useTestWebhook(id: string) {
  return useMutation({
    mutationFn: () => call(testWebhook, { params: { id } }),
    onSuccess: () => {
      toast({ title: 'Test event sent', description: 'What became of it stands in the log.' });
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(id) });
    },
    onError: showRefusal,
  });
}

/** The log in pages, polled while it is open. */
export function useDeliveries(id: string, state: DeliveryState | undefined) {
  return useInfiniteQuery({
    queryKey: [...deliveriesKey(id), state ?? 'all'],
    queryFn: ({ pageParam: cursor, signal }) =>
      callPage(listWebhookDeliveries, {
        params: { id },
        query: { limit: DELIVERIES_PER_PAGE, ...(state && { state }), ...(cursor && { cursor }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((each) => isUnderWay(each))) ? BUSY_MS : CALM_MS,
  });
}

/** Retries may be hours apart; poll often only for those due within a minute. */
function isUnderWay({ state, nextTryAt }: WebhookDelivery): boolean {
  return state === 'waiting' && nextTryAt !== null && Date.parse(nextTryAt) - Date.now() < 60_000;
}

/** A delivery with its request and response, refetched after each attempt. */
export function useDelivery(webhookId: string, { id, attempts, state, lastTriedAt }: WebhookDelivery) {
  return useQuery({
    queryKey: ['/api/webhooks', webhookId, 'delivery', id, attempts, state, lastTriedAt],
    queryFn: ({ signal }) => call(getWebhookDelivery, { params: { id: webhookId, deliveryId: id }, signal }),
  });
}

export function useReplay(webhookId: string, deliveryId: string) {
  return useMutation({
    mutationFn: () => call(replayWebhookDelivery, { params: { id: webhookId, deliveryId } }),
    onSuccess: () => {
      toast({ title: 'Sent again' });
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(webhookId) });
    },
    onError: showRefusal,
  });
}

function replaceListed(changed: Webhook): void {
  changeListed((listed) => listed.map((each) => (each.id === changed.id ? changed : each)));
}

function changeListed(change: (listed: Webhook[]) => Webhook[]): void {
  queryClient.setQueryData<Webhook[]>(WEBHOOKS_KEY, (listed) => listed && change(listed));
}

/** Shows the error; refetches if the webhook or the plan has changed meanwhile. */
function showRefusal(error: unknown): void {
  toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
  if (!(error instanceof ApiError)) return;
  if (error.status === 404 || error.status === 409)
    void queryClient.invalidateQueries({ queryKey: WEBHOOKS_KEY, exact: true });
  if (error.status === 402) void refreshSession();
}
