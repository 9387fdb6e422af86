import type { PushEvent } from '../../../contracts/accounts/push.ts';
import type { WebhookEventType, WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import type { Trx } from '../../platform/db/open.ts';
import { enqueueAll } from '../../platform/jobs/queue.ts';
import { sendPushJob } from './delivery.ts';
import { type ListeningBrowser, listListening } from './queries.ts';

const EVENTS_OF: Partial<Record<WebhookEventType, PushEvent[]>> = {
  'transfer.ready': ['ready'],
  'transfer.downloaded': ['first-download', 'download'],
  'invitation.received': ['received'],
  'transfer.expired': ['expired'],
  'transfer.damaged': ['damaged'],
};

/** The owner's browsers that get this event. Costs one index lookup if there is none. */
export async function findPushReceivers(
  trx: Trx,
  transferId: string,
  type: WebhookEventType,
): Promise<ListeningBrowser[]> {
  const events = EVENTS_OF[type];
  return events ? listListening(trx, transferId, events) : [];
}

type NewPush = { receivers: ListeningBrowser[]; event: WebhookPayload };

/** Call it in the transaction that the event is about. */
export async function enqueuePushes(trx: Trx, { receivers, event }: NewPush): Promise<void> {
  const isLaterDownload = event.type === 'transfer.downloaded' && event.data.transfer.downloadCount > 1;
  const wanted = isLaterDownload
    ? receivers.filter(({ events }) => (JSON.parse(events) as PushEvent[]).includes('download'))
    : receivers;
  const body = JSON.stringify(withoutPrivateParts(event));
  const orders = wanted.map(({ id }) => ({ payload: { subscriptionId: id, event: body } }));
  if (orders.length > 0) await enqueueAll(trx, sendPushJob, orders);
}

/** A waiting job contains only what its notification shows. */
function withoutPrivateParts(event: WebhookPayload): WebhookPayload {
  if (event.type === 'test') return event;
  const transfer = { ...event.data.transfer, token: '', message: null, recipientEmails: [] };
  const files = event.type === 'transfer.damaged' && { files: [] };
  return { ...event, data: { ...event.data, transfer, ...files } } as WebhookPayload;
}
