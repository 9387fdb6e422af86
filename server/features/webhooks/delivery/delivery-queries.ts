import type { Updateable } from 'kysely';
import type { DeliveryState } from '../../../../contracts/accounts/webhooks.ts';
import { type Db, isSqlite, type Trx } from '../../../platform/db/open.ts';
import { isOlderThan } from '../../../platform/db/queries/newest-first.ts';
import type { WebhookDeliveriesTable } from '../../../platform/db/schema/accounts.ts';
import type { UserRow, WebhookDeliveryRow, WebhookRow } from '../../../platform/db/schema.ts';
import type { Position } from '../../../platform/lib/cursor.ts';
import { isSending } from '../queries.ts';

type Key = Pick<WebhookDeliveryRow, 'webhookId' | 'id'>;

const SHOWN = [
  'id',
  'type',
  'state',
  'attempts',
  'createdAt',
  'lastTriedAt',
  'nextTryAt',
  'status',
  'error',
  'durationMs',
] as const satisfies (keyof WebhookDeliveryRow)[];
export type ShownDelivery = Pick<WebhookDeliveryRow, (typeof SHOWN)[number]>;

type ListRequest = {
  webhookId: string;
  state: DeliveryState | undefined;
  after: Position | undefined;
  limit: number;
};

export function listDeliveryRows(db: Db, { webhookId, state, after, limit }: ListRequest) {
  return db
    .selectFrom('webhookDeliveries')
    .select(SHOWN)
    .select('createdAt as sortKey')
    .where('webhookId', '=', webhookId)
    .$if(state !== undefined, (query) => query.where('state', '=', state!))
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'createdAt', id: 'id' }, after!)),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function findDelivery(db: Db, { webhookId, id }: Key): Promise<WebhookDeliveryRow | undefined> {
  return db
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Makes a delivery due again with a full set of attempts. The outcome of an attempt in progress is ignored. */
export function resetDelivery(trx: Trx, key: Key, now: number): Promise<WebhookDeliveryRow | undefined> {
  return ofKey(trx, key)
    .set({ state: 'waiting', attempts: 0, nextTryAt: now })
    .returningAll()
    .executeTakeFirst();
}

/** `isSending` is false if the webhook is disabled or not part of the owner's plan. */
export async function findReceiver(
  db: Db,
  webhookId: string,
): Promise<(WebhookRow & Pick<UserRow, 'email' | 'language'> & { isSending: boolean }) | undefined> {
  const row = await db
    .selectFrom('webhooks')
    .innerJoin('users', 'users.id', 'webhooks.userId')
    .selectAll('webhooks')
    .select(['users.email', 'users.language'])
    .select((eb) => eb.case().when(isSending(eb)).then(1).else(0).end().as('sending'))
    .where('webhooks.id', '=', webhookId)
    .executeTakeFirst();
  return row && { ...row, isSending: row.sending === 1 };
}

export function findDueDelivery(
  db: Db,
  webhookId: string,
  now: number,
): Promise<WebhookDeliveryRow | undefined> {
  return db
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .where('nextTryAt', '<=', now)
    .orderBy('nextTryAt')
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
}

type Attempted = Key & { attempts: number };

/** Returns false if the delivery was replayed or finished since this attempt. */
export async function updateAttempt(
  trx: Db | Trx,
  { attempts, ...key }: Attempted,
  changes: Updateable<WebhookDeliveriesTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await ofKey(trx, key)
    .set(changes)
    .where('state', '=', 'waiting')
    .where('attempts', '=', attempts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function failWaiting(trx: Db | Trx, webhookId: string, error: string): Promise<void> {
  await trx
    .updateTable('webhookDeliveries')
    .set({ state: 'failed', nextTryAt: null, error })
    .where('webhookId', '=', webhookId)
    .where('nextTryAt', 'is not', null)
    .execute();
}

/**
 * Returns when the next attempt is due. No delivery can be added until the transaction ends, because on PostgreSQL an
 * insert needs a share lock on the webhook's row.
 */
export async function lockNextAttempt(trx: Trx, webhookId: string): Promise<number | undefined> {
  await trx
    .selectFrom('webhooks')
    .select('id')
    .where('id', '=', webhookId)
    .$if(!isSqlite(trx), (query) => query.forUpdate())
    .execute();
  const row = await trx
    .selectFrom('webhookDeliveries')
    .select('nextTryAt')
    .where('webhookId', '=', webhookId)
    .where('nextTryAt', 'is not', null)
    .orderBy('nextTryAt')
    .limit(1)
    .executeTakeFirst();
  return row?.nextTryAt ?? undefined;
}

export async function deleteDeliveriesBefore(db: Db, before: number, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('webhookDeliveries')
    .select(['webhookId', 'id'])
    .where('createdAt', '<', before)
    .limit(limit)
    .execute();
  for (const { webhookId, id } of rows)
    await db
      .deleteFrom('webhookDeliveries')
      .where('webhookId', '=', webhookId)
      .where('id', '=', id)
      .execute();
  return rows.length;
}

function ofKey(trx: Db | Trx, { webhookId, id }: Key) {
  return trx.updateTable('webhookDeliveries').where('webhookId', '=', webhookId).where('id', '=', id);
}
