import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import {
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
import { call } from '../../../api/call.ts';
import { addRow, pagesOf, queryOf, removeRows, replaceRow } from '../../../api/endpoint-query.ts';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';
import type { ToastInput } from '../../../components/feedback/toast.ts';

const outdated = [listWebhooks];
/** Poll intervals of the log: while a delivery is due soon, and otherwise. */
const BUSY_MS = 1_500;
const CALM_MS = 15_000;

export function useWebhooks(isIncluded: boolean) {
  return useQuery({
    ...queryOf(listWebhooks),
    enabled: isIncluded,
    staleTime: 0,
    // The server records failures and may disable a webhook.
    refetchInterval: CALM_MS,
  });
}

export function useCreateWebhook<Form extends FieldValues>(form: UseFormReturn<Form>) {
  return useAction(createWebhook, {
    form,
    onSuccess: ({ secret: _, ...made }) => addRow(listWebhooks, made, 'end'),
    success: { title: t`Webhook created`, description: t`Send a test event to check that it works.` },
  });
}

export function useUpdateWebhook<Form extends FieldValues>(
  id: string,
  { form, success }: { form?: UseFormReturn<Form>; success: (saved: Webhook) => ToastInput },
) {
  return useAction((body: UpdateWebhookInput) => call(updateWebhook, { params: { id }, body }), {
    ...(form && { form }),
    outdated,
    onSuccess: (saved) => replaceRow(listWebhooks, saved),
    success,
  });
}

export function useDeleteWebhook(id: string) {
  return useAction(() => call(deleteWebhook, { params: { id } }), {
    outdated,
    onSuccess: () => removeRows(listWebhooks, id),
    success: { title: t`Webhook deleted` },
  });
}

/** Fetched each time, so that secrets don't stay in memory. */
export function useWebhookSecret(id: string) {
  return useQuery({ ...queryOf(getWebhookSecret, { params: { id } }), staleTime: 0, gcTime: 0 });
}

export function useRotateSecret(id: string) {
  return useAction(() => call(rotateWebhookSecret, { params: { id } }), {
    outdated,
    onSuccess: ({ secret, ...changed }) => {
      replaceRow(listWebhooks, changed);
      queryClient.setQueryData(queryKeyOf(getWebhookSecret, { params: { id } }), { secret });
    },
    success: { title: t`New secret`, description: t`The old secret stays valid for 24 hours.` },
  });
}

export function useTestWebhook(id: string) {
  return useAction(() => call(testWebhook, { params: { id } }), {
    outdated,
    refreshes: [listWebhookDeliveries],
    success: { title: t`Test event sent`, description: t`See the log for the result.` },
  });
}

/** Polled while the log is open. */
export function useDeliveries(id: string, state: DeliveryState | undefined) {
  return useInfiniteQuery({
    ...pagesOf(listWebhookDeliveries, {
      params: { id },
      query: { limit: DELIVERIES_PER_PAGE, ...(state && { state }) },
    }),
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
  const { queryKey, queryFn } = queryOf(getWebhookDelivery, { params: { id: webhookId, deliveryId: id } });
  return useQuery({ queryKey: [...queryKey, attempts, state, lastTriedAt], queryFn });
}

export function useReplay(webhookId: string, deliveryId: string) {
  return useAction(() => call(replayWebhookDelivery, { params: { id: webhookId, deliveryId } }), {
    outdated,
    refreshes: [listWebhookDeliveries],
    success: { title: t`Sent again` },
  });
}
