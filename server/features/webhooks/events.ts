import type { WebhookEventType, WebhookPayload } from '../../../contracts/accounts/webhooks.ts';
import type { Trx } from '../../platform/db/open.ts';
import { enqueueAll } from '../../platform/jobs/queue.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { deliverJob } from './delivery/delivery.ts';
import { isSending } from './queries.ts';

/** The timestamp is added when the event is recorded. */
type Event = WebhookPayload extends infer Each
  ? Each extends WebhookPayload
    ? Pick<Each, 'type' | 'data'>
    : never
  : never;

type NewEvent = {
  userId: string;
  /** Sends the event to this webhook only. */
  webhookId?: string;
  event: Event;
  now: number;
};

/**
 * Enqueues an event in the caller's transaction, so that it is sent if and only if that commits. Returns the event's
 * id, or undefined if no webhook is subscribed, which costs one statement.
 */
export async function recordEvent(
  trx: Trx,
  { userId, webhookId, event: { type, data }, now }: NewEvent,
): Promise<string | undefined> {
  const id = randomId();
  const body = JSON.stringify({ type, timestamp: toIso(now), data });
  const webhookIds = await insertDeliveries(trx, { userId, webhookId, id, type, body, now });
  if (webhookIds.length === 0) return undefined;
  // Sorted, so that concurrent transactions can't deadlock.
  const orders = webhookIds.toSorted().map((each) => ({ payload: { webhookId: each }, uniqueKey: each }));
  await enqueueAll(trx, deliverJob, orders);
  return id;
}

/**
 * Returns the transfer's owner if one of their webhooks is subscribed to this event type. Call it before collecting
 * the event's data, which costs more than this index lookup.
 */
export async function findListeningOwner(
  trx: Trx,
  transferId: string,
  type: WebhookEventType,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('transfers')
    .innerJoin('webhooks', 'webhooks.userId', 'transfers.userId')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select('transfers.userId')
    .where('transfers.id', '=', transferId)
    .where((eb) => isSending(eb))
    .where('webhooks.events', 'like', `%"${type}"%`)
    .limit(1)
    .executeTakeFirst();
  return row?.userId;
}

type NewDeliveries = {
  userId: string;
  webhookId?: string | undefined;
  id: string;
  type: WebhookEventType;
  body: string;
  now: number;
};

/** Returns the ids of the webhooks. */
async function insertDeliveries(
  trx: Trx,
  { userId, webhookId, id, type, body, now }: NewDeliveries,
): Promise<string[]> {
  const rows = await trx
    .insertInto('webhookDeliveries')
    .columns(['webhookId', 'id', 'type', 'body', 'state', 'createdAt', 'nextTryAt'])
    .expression(
      trx
        .selectFrom('webhooks')
        .innerJoin('users', 'users.id', 'webhooks.userId')
        .select((eb) => [
          'webhooks.id as webhookId',
          eb.cast<string>(eb.val(id), 'text').as('id'),
          eb.cast<string>(eb.val(type), 'text').as('type'),
          eb.cast<string>(eb.val(body), 'text').as('body'),
          eb.cast<'waiting'>(eb.val('waiting'), 'text').as('state'),
          eb.cast<number>(eb.val(now), 'bigint').as('createdAt'),
          eb.cast<number>(eb.val(now), 'bigint').as('nextTryAt'),
        ])
        .where('webhooks.userId', '=', userId)
        .where((eb) => isSending(eb))
        .$if(type !== 'test', (query) => query.where('webhooks.events', 'like', `%"${type}"%`))
        .$if(webhookId !== undefined, (query) => query.where('webhooks.id', '=', webhookId!)),
    )
    .returning('webhookId')
    .execute();
  return rows.map((row) => row.webhookId);
}
