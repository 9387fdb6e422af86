import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';
import type {
  AccountAlertsTable,
  EmailChangesTable,
  EmailVerificationCodesTable,
} from '../../platform/db/schema/accounts.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';

export async function insertCode(trx: Trx, row: Insertable<EmailVerificationCodesTable>): Promise<void> {
  await trx.insertInto('emailVerificationCodes').values(row).execute();
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

/** Returns undefined when no attempt is left or the code has expired. */
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

export async function deleteCode(trx: Trx, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('emailVerificationCodes')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function deleteCodesOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('emailVerificationCodes').where('userId', '=', userId).execute();
}

type EmailChange = Selectable<EmailChangesTable>;

export async function insertEmailChange(trx: Trx, row: Insertable<EmailChangesTable>): Promise<void> {
  await trx.insertInto('emailChanges').values(row).execute();
}

export async function findLatestEmailChange(trx: Trx, userId: string): Promise<EmailChange | undefined> {
  return trx
    .selectFrom('emailChanges')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function findNewestEmailChange(trx: Trx, userId: string): Promise<Instant | undefined> {
  const { newest } = await trx
    .selectFrom('emailChanges')
    .select(({ fn }) => fn.max('createdAt').as('newest'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return newest === null ? undefined : Number(newest);
}

export async function deleteEmailChangesOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('emailChanges').where('userId', '=', userId).execute();
}

export async function insertAccountAlert(trx: Trx, row: Insertable<AccountAlertsTable>): Promise<void> {
  await trx.insertInto('accountAlerts').values(row).execute();
}

export async function deleteAccountAlertsOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('accountAlerts').where('userId', '=', userId).execute();
}

export async function deletePasswordResetsOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('passwordResets').where('userId', '=', userId).execute();
}

export async function deleteExpiredRows(db: Db, now: Instant): Promise<void> {
  const tables = [
    'sessions',
    'emailVerificationCodes',
    'passwordResets',
    'emailChanges',
    'accountAlerts',
    'signInAttempts',
  ] as const;
  for (const table of tables)
    await deleteInBatches(db, { table, key: ['id'] }, (eb) => eb('expiresAt', '<=', now));
  const places = { table: 'knownPlaces', key: ['subject', 'place'] } as const;
  await deleteInBatches(db, { ...places, key: [...places.key] }, (eb) => eb('expiresAt', '<=', now));
}
