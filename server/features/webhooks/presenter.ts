import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEvent,
  WebhookEventType,
} from '../../../contracts/accounts/webhooks.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../../platform/db/schema.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import type { Header } from '../../platform/outgoing/post.ts';
import type { ShownDelivery } from './delivery-queries.ts';

/** A webhook as its owner sees it, without its secret. */
export function presentWebhook(row: WebhookRow, now: number): Webhook {
  const signsAlong = row.oldSecretUntil !== null && row.oldSecretUntil > now;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events) as WebhookEvent[],
    isActive: row.isActive === 1,
    disabledReason: row.isActive === 1 ? null : (row.recoveryReason ?? row.disabledReason),
    disabledAt: row.isActive === 1 ? null : toIsoOrNull(row.disabledAt),
    failingSince: toIsoOrNull(row.failingSince),
    oldSecretUntil: signsAlong ? toIsoOrNull(row.oldSecretUntil) : null,
    createdAt: toIso(row.createdAt),
  };
}

export function presentDelivery(row: ShownDelivery): WebhookDelivery {
  return {
    id: row.id,
    type: row.type as WebhookEventType,
    state: row.state,
    attempts: row.attempts,
    createdAt: toIso(row.createdAt),
    lastTriedAt: toIsoOrNull(row.lastTriedAt),
    nextTryAt: toIsoOrNull(row.nextTryAt),
    status: row.status,
    error: row.error,
    durationMs: row.durationMs,
  };
}

/** Before its first try it is shown as it would go to `url` now. */
export function presentDeliveryDetail(row: WebhookDeliveryRow, url: string): WebhookDeliveryDetail {
  const { responseHeaders, responseBody, isTruncated } = row;
  return {
    ...presentDelivery(row),
    request: { url: row.requestUrl ?? url, headers: parseHeaders(row.requestHeaders), body: row.body },
    response:
      responseHeaders === null
        ? null
        : {
            headers: parseHeaders(responseHeaders),
            body: responseBody ?? '',
            isTruncated: isTruncated === 1,
          },
  };
}

function parseHeaders(json: string | null): Header[] {
  return json === null ? [] : (JSON.parse(json) as Header[]);
}
