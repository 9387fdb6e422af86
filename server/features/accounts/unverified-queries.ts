import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant, UserRow } from '../../platform/db/schema.ts';

type Position = Pick<UserRow, 'createdAt' | 'id'>;

/** The oldest first, in the order of their creation. */
export function listUnverifiedUsers(
  db: Db,
  { before, after, limit }: { before: Instant; after: Position; limit: number },
): Promise<Position[]> {
  return (
    db
      .selectFrom('users')
      .select(['id', 'createdAt'])
      // A literal, so that SQLite uses the partial index.
      .where((eb) => eb('emailVerified', '=', eb.lit(0)))
      .where('createdAt', '<', before)
      .where('createdAt', '>=', after.createdAt)
      .where((eb) => eb.or([eb('createdAt', '>', after.createdAt), eb('id', '>', after.id)]))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

/** Verified users whose name or address still is a claim. */
export function listVerifiedClaims(db: Db, limit: number): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb('isClaiming', '=', eb.lit(1)))
    .where('emailVerified', '=', 1)
    .limit(limit)
    .execute();
}

/**
 * Deletes a user who never proved an address, with sessions, codes and mails. Nothing else can be theirs: a user who
 * has anything else was verified before `firstVerifiedAt` existed, and is kept. False when there is no such user, for
 * example because they were verified meanwhile.
 */
export async function deleteUnverifiedUser(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('users')
    .where('id', '=', id)
    .where('emailVerified', '=', 0)
    .where('firstVerifiedAt', 'is', null)
    .where('deletedAt', 'is', null)
    .where('isAdmin', '=', 0)
    .where('tier', '=', 'free')
    .where('paymentCustomerId', 'is', null)
    .where(({ not, exists, selectFrom, or }) =>
      not(
        or([
          exists(selectFrom('transfers').select('id').whereRef('transfers.userId', '=', 'users.id')),
          exists(selectFrom('monthlyUsage').select('month').whereRef('monthlyUsage.userId', '=', 'users.id')),
          exists(selectFrom('apiKeys').select('id').whereRef('apiKeys.userId', '=', 'users.id')),
          exists(selectFrom('webhooks').select('id').whereRef('webhooks.userId', '=', 'users.id')),
          exists(
            selectFrom('uploadInvitations')
              .select('id')
              .whereRef('uploadInvitations.senderId', '=', 'users.id'),
          ),
          exists(
            selectFrom('userPreferences').select('id').whereRef('userPreferences.userId', '=', 'users.id'),
          ),
          exists(selectFrom('emailChanges').select('id').whereRef('emailChanges.userId', '=', 'users.id')),
        ]),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
