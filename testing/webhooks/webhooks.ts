import {
  createWebhook,
  listWebhookDeliveries,
  WEBHOOK_EVENTS,
  type WebhookDelivery,
} from '../../contracts/accounts/webhooks.ts';
import type { Client } from '../calls/client.ts';

export const WITH_LOOPBACK = { WEBHOOK_ALLOW_PRIVATE: 'on' };

/** Creates a webhook, by default for all events. */
export async function subscribe(client: Client, url: string, events: readonly string[] = WEBHOOK_EVENTS) {
  const created = await client.call(createWebhook, { body: { url, events } });
  return { ...created, secret: created.secret! };
}

/** The deliveries of a webhook, oldest first. */
export async function deliveriesOf(client: Client, id: string): Promise<WebhookDelivery[]> {
  return (await client.call(listWebhookDeliveries, { params: { id }, query: { limit: '100' } })).toReversed();
}
