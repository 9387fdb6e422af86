import type { Insertable, Updateable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { AdsTable } from '../../platform/db/schema/billing.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { AdRow } from '../../platform/db/schema.ts';

export async function listAds(db: Db): Promise<AdRow[]> {
  return db.selectFrom('ads').selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc').execute();
}

export async function findAd(db: Db, id: string): Promise<AdRow | undefined> {
  return db.selectFrom('ads').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findAdByKey(db: Db, storageKey: string): Promise<AdRow | undefined> {
  return db.selectFrom('ads').selectAll().where('storageKey', '=', storageKey).executeTakeFirst();
}

export async function listRunningAds(db: Db, now: Instant): Promise<AdRow[]> {
  return running(db, now).orderBy('id').execute();
}

export async function findRunningAd(db: Db, id: string, now: Instant): Promise<AdRow | undefined> {
  return running(db, now).where('id', '=', id).executeTakeFirst();
}

function running(db: Db, now: Instant) {
  return db
    .selectFrom('ads')
    .selectAll()
    .where('isActive', '=', 1)
    .where((eb) => eb.or([eb('startDate', 'is', null), eb('startDate', '<=', now)]))
    .where((eb) => eb.or([eb('endDate', 'is', null), eb('endDate', '>', now)]));
}

export async function hasSentTransfer(db: Db, userId: string): Promise<boolean> {
  const transfer = await db
    .selectFrom('transfers')
    .select('status')
    .where('userId', '=', userId)
    .where('status', '=', 'ready')
    .limit(1)
    .executeTakeFirst();
  return transfer !== undefined;
}

export async function insertAd(trx: Trx, row: Insertable<AdsTable>): Promise<AdRow> {
  return trx.insertInto('ads').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function lockAd(trx: Trx, id: string): Promise<AdRow | undefined> {
  return trx
    .updateTable('ads')
    .set((eb) => ({ storageKey: eb.ref('storageKey') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateAd(
  trx: Trx,
  id: string,
  columns: Updateable<AdsTable>,
): Promise<AdRow | undefined> {
  return trx.updateTable('ads').set(columns).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deleteAdRow(trx: Trx, id: string): Promise<AdRow | undefined> {
  return trx.deleteFrom('ads').where('id', '=', id).returningAll().executeTakeFirst();
}

export async function countAdEvent(db: Db, id: string, column: 'views' | 'clicks'): Promise<void> {
  await db
    .updateTable('ads')
    .set((eb) => ({ [column]: eb(column, '+', 1) }))
    .where('id', '=', id)
    .execute();
}
