import type { WebhookEventType } from '../../../contracts/accounts/webhooks.ts';
import type { Trx } from '../../platform/db/open.ts';
import { isSending } from './listening.ts';

/** Whose transfer it is, if any of their webhooks wants to be told of such an event; undefined else. */
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
  /** Only to this one. */
  webhookId?: string | undefined;
  id: string;
  type: WebhookEventType;
  body: string;
  now: number;
};

/** One for each webhook that listens, in one statement. Returns to which. */
export async function insertDeliveries(
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
