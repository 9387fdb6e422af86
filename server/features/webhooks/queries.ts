import type { ExpressionBuilder, Insertable, Updateable } from 'kysely';
import { TIERS, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';
import type { WebhooksTable } from '../../platform/db/schema/accounts.ts';
import type { Database, WebhookRow } from '../../platform/db/schema.ts';

export type OwnWebhook = { userId: string; id: string };

/** Exact while the transaction holds the owner's row lock. */
export async function countWebhooks(trx: Trx, userId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertWebhook(trx: Trx, row: Insertable<WebhooksTable>): Promise<WebhookRow> {
  return trx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow();
}

export function listWebhooksOf(db: Db, userId: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function findOwnWebhook(db: Db | Trx, { userId, id }: OwnWebhook): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function updateOwnWebhook(
  trx: Trx,
  { userId, id }: OwnWebhook,
  changes: Updateable<WebhooksTable>,
): Promise<WebhookRow | undefined> {
  return trx
    .updateTable('webhooks')
    .set((eb) => ({ id: eb.ref('id'), ...changes }))
    .where('userId', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Keeps the current secret as the old one until `oldSecretUntil`. */
export function replaceSecret(
  trx: Trx,
  { userId, id }: OwnWebhook,
  { secret, oldSecretUntil }: Pick<WebhookRow, 'secret' | 'oldSecretUntil'>,
): Promise<WebhookRow | undefined> {
  return trx
    .updateTable('webhooks')
    .set((eb) => ({ oldSecret: eb.ref('secret'), secret, oldSecretUntil }))
    .where('userId', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteOwnWebhook(db: Db, { userId, id }: OwnWebhook): Promise<boolean> {
  const own = await db
    .selectFrom('webhooks')
    .select('id')
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (own) await deleteDeliveriesOf(db, id);
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function deleteWebhooksOf(trx: Trx, userId: string): Promise<void> {
  const webhooks = await trx.selectFrom('webhooks').select('id').where('userId', '=', userId).execute();
  for (const { id } of webhooks) await deleteDeliveriesOf(trx, id);
  await trx.deleteFrom('webhooks').where('userId', '=', userId).execute();
}

function deleteDeliveriesOf(db: Db, webhookId: string): Promise<void> {
  return deleteInBatches(db, { table: 'webhookDeliveries', key: ['webhookId', 'id'] }, (eb) =>
    eb('webhookId', '=', webhookId),
  );
}

/** Returns since when all attempts have failed; undefined if the webhook's URL has changed. */
export async function markFailing(
  trx: Trx,
  { id, url, sealedTarget, now }: Pick<WebhookRow, 'id' | 'url' | 'sealedTarget'> & { now: number },
): Promise<number | undefined> {
  const row = await trx
    .updateTable('webhooks')
    .set((eb) => ({ failingSince: eb.fn.coalesce('failingSince', eb.cast<number>(eb.val(now), 'bigint')) }))
    .where('id', '=', id)
    .where('url', '=', url)
    .where('sealedTarget', 'is not distinct from', sealedTarget)
    .returning('failingSince')
    .executeTakeFirst();
  return row?.failingSince ?? undefined;
}

export async function markWorking(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('webhooks')
    .set({ failingSince: null })
    .where('id', '=', id)
    .where('failingSince', 'is not', null)
    .execute();
}

/** Returns true for only one of several concurrent callers. */
export async function disableWebhook(
  trx: Trx,
  id: string,
  disabledReason: NonNullable<WebhookRow['disabledReason']>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('webhooks')
    .set({ isActive: 0, disabledReason })
    .where('id', '=', id)
    .where('isActive', '=', 1)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Returns the ids of the webhooks that were active. */
export async function disableAllWebhooks(
  trx: Trx,
  userId: string,
  recovery: Pick<WebhookRow, 'recoveryReason' | 'disabledAt'>,
): Promise<string[]> {
  const rows = await trx
    .updateTable('webhooks')
    .set({ isActive: 0, ...recovery })
    .where('userId', '=', userId)
    .where('isActive', '=', 1)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

const WITH_WEBHOOKS = TIERS.filter((tier) => tierIncludes(tier, 'webhooks'));

export function isSending(eb: ExpressionBuilder<Database, 'webhooks' | 'users'>) {
  return eb.and([
    eb('webhooks.isActive', '=', 1),
    eb('users.tier', 'in', WITH_WEBHOOKS),
    eb('users.deletedAt', 'is', null),
  ]);
}
