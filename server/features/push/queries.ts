import type { Insertable } from 'kysely';
import type { PushEvent } from '../../../contracts/accounts/push.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { PushSubscriptionsTable } from '../../platform/db/schema/accounts.ts';
import type { PushSubscriptionRow } from '../../platform/db/schema.ts';

export function listSubscriptionsOf(db: Db | Trx, userId: string): Promise<PushSubscriptionRow[]> {
  return db
    .selectFrom('pushSubscriptions')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function upsertSubscription(
  trx: Trx,
  row: Insertable<PushSubscriptionsTable>,
): Promise<PushSubscriptionRow> {
  const { sealedTarget, service, events, sessionId } = row;
  return trx
    .insertInto('pushSubscriptions')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['userId', 'endpointHash']).doUpdateSet({ sealedTarget, service, events, sessionId }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteOwnSubscription(
  db: Db,
  { userId, id }: { userId: string; id: string },
): Promise<void> {
  await db.deleteFrom('pushSubscriptions').where('id', '=', id).where('userId', '=', userId).execute();
}

export async function deleteSubscription(db: Db, id: string): Promise<void> {
  await db.deleteFrom('pushSubscriptions').where('id', '=', id).execute();
}

export type ListeningBrowser = Pick<PushSubscriptionRow, 'id' | 'events'>;

/** Of the owner of a transfer, for any of these events. */
export function listListening(
  trx: Trx,
  transferId: string,
  events: PushEvent[],
): Promise<ListeningBrowser[]> {
  return trx
    .selectFrom('transfers')
    .innerJoin('pushSubscriptions', 'pushSubscriptions.userId', 'transfers.userId')
    .select(['pushSubscriptions.id', 'pushSubscriptions.events'])
    .where('transfers.id', '=', transferId)
    .where((eb) => eb.or(events.map((event) => eb('pushSubscriptions.events', 'like', `%"${event}"%`))))
    .execute();
}

/** With the language that its owner reads; undefined if it has ended. */
export function findSubscription(db: Db, id: string) {
  return db
    .selectFrom('pushSubscriptions')
    .leftJoin('users', 'users.id', 'pushSubscriptions.userId')
    .selectAll('pushSubscriptions')
    .select('users.language')
    .where('pushSubscriptions.id', '=', id)
    .executeTakeFirst();
}
