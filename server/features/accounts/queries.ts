import type { Insertable } from 'kysely';
import type { Db } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type {
  EmailVerificationCodesTable,
  Instant,
  SessionsTable,
  UserRow,
  UsersTable,
} from '../../platform/db/schema.ts';

export async function insertUser(db: Db, row: Insertable<UsersTable>): Promise<UserRow> {
  return db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function selectUserById(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function selectUserByKey(
  db: Db,
  column: 'usernameKey' | 'emailKey',
  key: string,
): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where(column, '=', key).executeTakeFirst();
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

/** Holds the user's row until the transaction ends; false when the password is no longer this one. */
export async function lockUserWithPassword(trx: Db, id: string, passwordHash: string): Promise<boolean> {
  const row = await trx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', id)
    .where('passwordHash', '=', passwordHash)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Holds the user's row until the transaction ends; undefined when the address is verified already. */
export async function lockUnverifiedUser(trx: Db, id: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set({ emailVerified: 0 })
    .where('id', '=', id)
    .where('emailVerified', '=', 0)
    .returningAll()
    .executeTakeFirst();
}

/** undefined when somebody was faster. */
export async function markEmailVerified(trx: Db, id: string): Promise<UserRow | undefined> {
  return trx
    .updateTable('users')
    .set({ emailVerified: 1 })
    .where('id', '=', id)
    .where('emailVerified', '=', 0)
    .returningAll()
    .executeTakeFirst();
}

/** A living session with its user, in one look: every request of a signed-in user asks this. */
export const selectSessionWithUser = prepare((db, tokenHash: string, now: Instant) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .selectAll('users')
    .select(['sessions.id as sessionId', 'sessions.lastSeenAt as sessionSeenAt'])
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now),
);

export async function insertSession(db: Db, row: Insertable<SessionsTable>): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

/** Of parallel requests one writes. */
export async function prolongSession(
  db: Db,
  { id, seenAt }: { id: string; seenAt: Instant },
  { now, expiresAt }: { now: Instant; expiresAt: Instant },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lastSeenAt: now, expiresAt })
    .where('id', '=', id)
    .where('lastSeenAt', '=', seenAt)
    .execute();
}

export async function deleteSession(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('tokenHash', '=', tokenHash).execute();
}

export async function deleteCodesOf(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('emailVerificationCodes').where('userId', '=', userId).execute();
}

export async function insertCode(trx: Db, row: Insertable<EmailVerificationCodesTable>): Promise<void> {
  await trx.insertInto('emailVerificationCodes').values(row).execute();
}

/** False when the code was used or made void meanwhile. */
export async function deleteCode(trx: Db, id: string): Promise<boolean> {
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

/** Rows whose time is over: sessions, codes, reset links. */
export async function deleteExpiredRows(db: Db, now: Instant): Promise<void> {
  await db.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
  await db.deleteFrom('emailVerificationCodes').where('expiresAt', '<=', now).execute();
  await db.deleteFrom('passwordResets').where('expiresAt', '<=', now).execute();
}
