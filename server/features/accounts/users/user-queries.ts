import type { Insertable, Updateable } from 'kysely';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { UsersTable } from '../../../platform/db/schema/accounts.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';

export async function insertUser(db: Db, row: Insertable<UsersTable>): Promise<UserRow> {
  return db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function findUserByKey(
  db: Db,
  column: 'usernameKey' | 'emailKey',
  key: string,
): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(column, '=', key)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function existsAdmin(db: Db): Promise<boolean> {
  const admin = await db
    .selectFrom('users')
    .select('id')
    .where('isAdmin', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
}

export async function lockAdmins(trx: Trx): Promise<string[]> {
  const rows = await trx
    .updateTable('users')
    .set({ isAdmin: 1 })
    .where('isAdmin', '=', 1)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Locks a user's row until the transaction ends; undefined for a deleted account. */
export async function lockAccount(trx: Trx, id: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Like `lockAccount`; also undefined when the password has changed. */
export async function lockUserWithPassword(
  trx: Trx,
  { id, passwordHash }: Pick<UserRow, 'id' | 'passwordHash'>,
): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', id)
    .where('passwordHash', '=', passwordHash)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function lockUserByEmail(trx: Trx, emailKey: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('emailKey', '=', emailKey)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Like `lockAccount`; also undefined when the address is already verified. */
export async function lockUnverifiedUser(trx: Trx, id: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set({ emailVerified: 0 })
    .where('id', '=', id)
    .where('emailVerified', '=', 0)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** The caller's transaction must hold the user's row lock. */
export async function setLanguageIfUnknown(db: Db, id: string, language: LanguageCode): Promise<void> {
  await db
    .updateTable('users')
    .set({ language })
    .where('id', '=', id)
    .where('language', 'is', null)
    .execute();
}

export async function updateUser(trx: Trx, id: string, changes: Updateable<UsersTable>): Promise<UserRow> {
  return trx.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function markEmailVerified(trx: Trx, id: string, now: Instant): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({
      emailVerified: 1,
      firstVerifiedAt: eb.fn.coalesce('firstVerifiedAt', eb.cast<number>(eb.val(now), 'bigint')),
    }))
    .where('id', '=', id)
    .where('emailVerified', '=', 0)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function existsSession(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export async function existsActiveKey(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('apiKeys')
    .select('id')
    .where('id', '=', id)
    .where('isActive', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns bytes. */
export async function findMonthlyUsage(db: Db, userId: string, month: string): Promise<number> {
  const row = await db
    .selectFrom('monthlyUsage')
    .select('bytes')
    .where('userId', '=', userId)
    .where('month', '=', month)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}
