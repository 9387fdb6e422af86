import {
  createWebhook,
  listWebhookDeliveries,
  WEBHOOK_EVENTS,
  type WebhookDelivery,
} from '../../contracts/accounts/webhooks.ts';
import type { Client } from '../calls/client.ts';

/** Lets webhooks reach the receivers of tests. */
export const WITH_LOOPBACK = { WEBHOOK_ALLOW_PRIVATE: 'on' };

/** Sets a webhook up for all events unless told. */
export function subscribe(client: Client, url: string, events: readonly string[] = WEBHOOK_EVENTS) {
  return client.call(createWebhook, { body: { url, events } });
}

/** What was sent to a webhook, the oldest first. */
export async function deliveriesOf(client: Client, id: string): Promise<WebhookDelivery[]> {
  return (await client.call(listWebhookDeliveries, { params: { id }, query: { limit: '100' } })).toReversed();
}
