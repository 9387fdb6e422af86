import type { Insertable, Updateable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/queries/prepared.ts';
import type { ApiKeysTable } from '../../platform/db/schema/accounts.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { ApiKeyRow } from '../../platform/db/schema.ts';

export type OwnKey = { userId: string; id: string };

/** Runs on every call with a key, so it is a single query. */
export const findKeyWithOwner = prepare((db, keyHash: string) =>
  db
    .selectFrom('apiKeys')
    .innerJoin('users', 'users.id', 'apiKeys.userId')
    .selectAll('users')
    .select([
      'apiKeys.id as keyId',
      'apiKeys.scopes as keyScopes',
      'apiKeys.expiresAt as keyExpiresAt',
      'apiKeys.isActive as keyIsActive',
      'apiKeys.lastUsedAt as keyUsedAt',
    ])
    .where('apiKeys.keyHash', '=', keyHash)
    .where('users.deletedAt', 'is', null),
);

/** Only one of several parallel calls writes. */
export async function recordKeyUse(
  db: Db,
  { id, before, now }: { id: string; before: Instant; now: Instant },
): Promise<void> {
  await db
    .updateTable('apiKeys')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', before)]))
    .execute();
}

/** Exact while the transaction holds the owner's row lock. */
export async function countKeys(trx: Trx, userId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('apiKeys')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertKey(trx: Trx, row: Insertable<ApiKeysTable>): Promise<ApiKeyRow> {
  return trx.insertInto('apiKeys').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function listKeysOf(db: Db, userId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('apiKeys')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function updateOwnKey(
  db: Db,
  { userId, id }: OwnKey,
  change: Updateable<ApiKeysTable>,
): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable('apiKeys')
    .set(change)
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteOwnKey(db: Db, { userId, id }: OwnKey): Promise<boolean> {
  const row = await db
    .deleteFrom('apiKeys')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns how many were active. */
export async function disableKeysOf(
  trx: Trx,
  userId: string,
  recovery: Pick<ApiKeyRow, 'recoveryReason' | 'disabledAt'>,
): Promise<number> {
  const rows = await trx
    .updateTable('apiKeys')
    .set({ isActive: 0, ...recovery })
    .where('userId', '=', userId)
    .where('isActive', '=', 1)
    .returning('id')
    .execute();
  return rows.length;
}

export async function deleteKeysOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('apiKeys').where('userId', '=', userId).execute();
}
