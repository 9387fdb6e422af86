import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant, UserRow } from '../../platform/db/schema.ts';

type Position = Pick<UserRow, 'createdAt' | 'id'>;

/** The oldest first, in the order of their creation. */
export function listUnverifiedUsers(
  db: Db,
  { before, after, limit }: { before: Instant; after: Position; limit: number },
): Promise<Position[]> {
  return db
    .selectFrom('users')
    .select(['id', 'createdAt'])
    .where('emailVerified', '=', 0)
    .where('createdAt', '<', before)
    .where('createdAt', '>=', after.createdAt)
    .where((eb) => eb.or([eb('createdAt', '>', after.createdAt), eb('id', '>', after.id)]))
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Verified users whose name or address still is a claim: their keys begin with `prefix`. */
export async function listVerifiedClaims(
  db: Db,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<UserRow[]> {
  // The character after the prefix's last one ends the range in the unique index.
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const listBy = (column: 'usernameKey' | 'emailKey') =>
    db
      .selectFrom('users')
      .selectAll()
      .where(column, '>=', prefix)
      .where(column, '<', end)
      .where('emailVerified', '=', 1)
      .limit(limit)
      .execute();
  const users = [...(await listBy('emailKey')), ...(await listBy('usernameKey'))];
  return [...new Map(users.map((user) => [user.id, user])).values()];
}

/**
 * Deletes a user who never proved an address, with sessions, codes and mails; nothing else can be theirs, and whoever
 * has anything else is kept. False when there is no such user, for example because they were verified meanwhile.
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
          exists(selectFrom('emailChanges').select('id').whereRef('emailChanges.userId', '=', 'users.id')),
        ]),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
