import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { CouponRow } from '../../../platform/db/schema.ts';
import { randomId } from '../../../platform/lib/tokens.ts';

export type RedemptionState = 'held' | 'redeemed';

/** `code` must be in upper case. */
export function findCoupon(db: Db, code: string): Promise<CouponRow | undefined> {
  return db.selectFrom('coupons').selectAll().where('code', '=', code).executeTakeFirst();
}

export async function findUse(
  db: Db,
  { couponId, userId }: { couponId: string; userId: string },
): Promise<RedemptionState | undefined> {
  const row = await db
    .selectFrom('couponRedemptions')
    .select('state')
    .where('couponId', '=', couponId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row?.state;
}

/** Returns false if the user already has a reservation. Waits for a concurrent insert. */
export async function insertReservation(
  trx: Trx,
  reservation: { couponId: string; userId: string; createdAt: Instant },
): Promise<boolean> {
  const row = await trx
    .insertInto('couponRedemptions')
    .values({ ...reservation, id: randomId(), state: 'held', providerSubscriptionId: null })
    .onConflict((conflict) => conflict.columns(['couponId', 'userId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Detaches a reservation from the previous attempt so that the next one can use it. Returns false if it has been
 * redeemed.
 */
export async function renewReservation(
  trx: Trx,
  { couponId, userId, createdAt }: { couponId: string; userId: string; createdAt: Instant },
): Promise<boolean> {
  const row = await trx
    .updateTable('couponRedemptions')
    .set({ providerSubscriptionId: null, createdAt })
    .where('couponId', '=', couponId)
    .where('userId', '=', userId)
    .where('state', '=', 'held')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts a use in one conditional statement. Returns false if none is left. */
export async function claimUse(trx: Trx, couponId: string, now: Instant): Promise<boolean> {
  const row = await trx
    .updateTable('coupons')
    .set((eb) => ({ currentUses: eb('currentUses', '+', 1) }))
    .where('id', '=', couponId)
    .where((eb) =>
      eb.and([
        eb.or([eb('maxUses', 'is', null), eb('currentUses', '<', eb.ref('maxUses'))]),
        eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]),
      ]),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function releaseUse(trx: Trx, couponId: string): Promise<void> {
  await trx
    .updateTable('coupons')
    .set((eb) => ({ currentUses: eb('currentUses', '-', 1) }))
    .where('id', '=', couponId)
    .where('currentUses', '>', 0)
    .execute();
}

export async function linkReservation(
  trx: Trx,
  { couponId, userId, providerSubscriptionId }: ReservationKey & { providerSubscriptionId: string },
): Promise<void> {
  await trx
    .updateTable('couponRedemptions')
    .set({ providerSubscriptionId })
    .where('couponId', '=', couponId)
    .where('userId', '=', userId)
    .where('state', '=', 'held')
    .execute();
}

type ReservationKey = { couponId: string; userId: string };

export async function redeemReservation(trx: Trx, providerSubscriptionId: string): Promise<void> {
  await trx
    .updateTable('couponRedemptions')
    .set({ state: 'redeemed' })
    .where('providerSubscriptionId', '=', providerSubscriptionId)
    .where('state', '=', 'held')
    .execute();
}

/** Returns the id of the coupon whose use the caller must release; undefined on a second call. */
export async function deleteReservation(
  trx: Trx,
  providerSubscriptionId: string,
): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('couponRedemptions')
    .where('providerSubscriptionId', '=', providerSubscriptionId)
    .where('state', '=', 'held')
    .returning('couponId')
    .executeTakeFirst();
  return row?.couponId;
}

/**
 * Returns the oldest reservations whose attempt can no longer be paid: its subscription has ended, was never recorded,
 * or never started.
 */
export async function listStaleReservations(db: Db, before: Instant, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('couponRedemptions')
    .select('id')
    .where('state', '=', 'held')
    .where('createdAt', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('subscriptions')
            .select('subscriptions.id')
            .whereRef('subscriptions.providerSubscriptionId', '=', 'couponRedemptions.providerSubscriptionId')
            .where('subscriptions.status', '!=', 'ended'),
        ),
      ),
    )
    .orderBy('createdAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** `deleteReservation` unless it was renewed or redeemed in the meantime. */
export async function deleteStaleReservation(
  trx: Trx,
  id: string,
  before: Instant,
): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('couponRedemptions')
    .where('id', '=', id)
    .where('state', '=', 'held')
    .where('createdAt', '<', before)
    .returning('couponId')
    .executeTakeFirst();
  return row?.couponId;
}

export function listCoupons(db: Db): Promise<CouponRow[]> {
  return db.selectFrom('coupons').selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc').execute();
}

export function insertCoupon(trx: Trx, row: CouponRow): Promise<CouponRow> {
  return trx.insertInto('coupons').values(row).returningAll().executeTakeFirstOrThrow();
}

export function deleteCoupon(trx: Trx, id: string): Promise<CouponRow | undefined> {
  return trx.deleteFrom('coupons').where('id', '=', id).returningAll().executeTakeFirst();
}
