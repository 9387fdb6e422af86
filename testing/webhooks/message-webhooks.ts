import type { z } from 'zod';
import type { WebhookFormat } from '../../contracts/accounts/webhook-formats.ts';
import { type CreateWebhookInput, createWebhook, WEBHOOK_EVENTS } from '../../contracts/accounts/webhooks.ts';
import type { Client } from '../calls/client.ts';

export type MessageFormat = Exclude<WebhookFormat, 'sendwell'>;

export const SECRET_PART = 'fJ8sK2mNqR7tVx4zB6yC';
export const TOKEN = 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2';

/** Where the messages of each service go, on a receiver that answers for it. */
const PATHS: Record<MessageFormat, string> = {
  slack: `/services/T0123/B0123/${SECRET_PART}`,
  teams: `/workflows/0a1b2c/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${SECRET_PART}`,
  discord: `/api/webhooks/123456789/${SECRET_PART}`,
  ntfy: `/${SECRET_PART}`,
  gotify: `/notify?token=${TOKEN}`,
};

/** Creates a webhook of the format that posts to the receiver. */
export function subscribeTo(
  client: Client,
  format: MessageFormat,
  receiverUrl: string,
  more: Partial<z.input<typeof CreateWebhookInput>> = {},
) {
  const url = new URL(PATHS[format], receiverUrl).href;
  const accessToken = format === 'ntfy' ? TOKEN : null;
  return client.call(createWebhook, {
    body: { format, url, accessToken, events: [...WEBHOOK_EVENTS], ...more },
  });
}
