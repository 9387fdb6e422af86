import type { Insertable, Updateable } from 'kysely';
import { deleteInBatches } from '../../platform/db/batches.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { EmailVerificationCodesTable, Instant, UserRow, UsersTable } from '../../platform/db/schema.ts';

export async function insertUser(db: Db, row: Insertable<UsersTable>): Promise<UserRow> {
  return db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function selectUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function selectUserByKey(
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

/** Holds the row of every administrator until the transaction ends; their ids. */
export async function lockAdmins(trx: Trx): Promise<string[]> {
  const rows = await trx
    .updateTable('users')
    .set({ isAdmin: 1 })
    .where('isAdmin', '=', 1)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Holds the user's row until the transaction ends; undefined for a deleted one. */
export async function lockUser(trx: Trx, id: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** As `lockUser`; undefined also when the password is no longer this one. */
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

/** Holds the row of whom a mailbox belongs to until the transaction ends. */
export async function lockUserByEmail(trx: Trx, emailKey: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('emailKey', '=', emailKey)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Holds the user's row until the transaction ends; undefined when the address is verified already. */
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

/** Changes a user whose row the transaction holds. */
export async function updateUser(trx: Trx, id: string, changes: Updateable<UsersTable>): Promise<UserRow> {
  return trx.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** undefined when another call was faster. */
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

export async function deleteCodesOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('emailVerificationCodes').where('userId', '=', userId).execute();
}

export async function insertCode(trx: Trx, row: Insertable<EmailVerificationCodesTable>): Promise<void> {
  await trx.insertInto('emailVerificationCodes').values(row).execute();
}

/** False when the code was used or made void meanwhile. */
export async function deleteCode(trx: Trx, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('emailVerificationCodes')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Takes one of the code's tries; undefined when none is left or the code is too old. */
export async function countCodeTry(
  db: Db,
  { userId, now, tries }: { userId: string; now: Instant; tries: number },
): Promise<{ id: string; codeHash: string; attempts: number } | undefined> {
  return db
    .updateTable('emailVerificationCodes')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .where('attempts', '<', tries)
    .returning(['id', 'codeHash', 'attempts'])
    .executeTakeFirst();
}

export async function existsValidCode(
  db: Db,
  { userId, now, tries }: { userId: string; now: Instant; tries: number },
): Promise<boolean> {
  const code = await db
    .selectFrom('emailVerificationCodes')
    .select('id')
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .where('attempts', '<', tries)
    .executeTakeFirst();
  return code !== undefined;
}

export async function existsSession(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** The table belongs to the api-keys feature. */
export async function existsActiveKey(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('apiKeys')
    .select('id')
    .where('id', '=', id)
    .where('isActive', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Bytes; the table belongs to the uploads feature. */
export async function selectMonthlyUsage(db: Db, userId: string, month: string): Promise<number> {
  const row = await db
    .selectFrom('monthlyUsage')
    .select('bytes')
    .where('userId', '=', userId)
    .where('month', '=', month)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** Removes expired rows: sessions, codes, the links of mails, and places that were not used for long. */
export async function deleteExpiredRows(db: Db, now: Instant): Promise<void> {
  const tables = [
    'sessions',
    'emailVerificationCodes',
    'passwordResets',
    'emailChanges',
    'accountAlerts',
  ] as const;
  for (const table of tables)
    await deleteInBatches(db, { table, key: ['id'] }, (eb) => eb('expiresAt', '<=', now));
  const places = { table: 'knownPlaces', key: ['subject', 'place'] } as const;
  await deleteInBatches(db, { ...places, key: [...places.key] }, (eb) => eb('expiresAt', '<=', now));
}
