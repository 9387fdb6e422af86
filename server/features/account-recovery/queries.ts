import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type {
  AccountAlertsTable,
  EmailChangesTable,
  PasswordResetsTable,
} from '../../platform/db/schema/accounts.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';

export type EmailChange = Selectable<EmailChangesTable>;

export async function insertPasswordReset(trx: Trx, row: Insertable<PasswordResetsTable>): Promise<void> {
  await trx.insertInto('passwordResets').values(row).execute();
}

export async function findPasswordReset(
  db: Db,
  tokenHash: string,
  now: Instant,
): Promise<Selectable<PasswordResetsTable> | undefined> {
  return db
    .selectFrom('passwordResets')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function deletePasswordReset(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.deleteFrom('passwordResets').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function findEmailChange(
  db: Db,
  tokenHash: string,
  now: Instant,
): Promise<EmailChange | undefined> {
  return db
    .selectFrom('emailChanges')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function findEmailChangeSince(
  trx: Trx,
  { userId, since, now }: { userId: string; since: Instant; now: Instant },
): Promise<EmailChange | undefined> {
  return trx
    .selectFrom('emailChanges')
    .selectAll()
    .where('userId', '=', userId)
    .where('createdAt', '>=', since)
    .where('expiresAt', '>', now)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
}

export async function listEmailChanges(
  trx: Trx,
  { userId, now }: { userId: string; now: Instant },
): Promise<EmailChange[]> {
  return trx
    .selectFrom('emailChanges')
    .selectAll()
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt')
    .limit(LISTED_MAX)
    .execute();
}

/** More than the rate limit allows within the undo period. */
const LISTED_MAX = 500;

/** Returns false when this change, or an older one, was undone in the meantime. */
export async function deleteEmailChange(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.deleteFrom('emailChanges').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function deleteNewerEmailChanges(
  trx: Trx,
  { userId, createdAt }: Pick<EmailChange, 'userId' | 'createdAt'>,
): Promise<void> {
  await trx
    .deleteFrom('emailChanges')
    .where('userId', '=', userId)
    .where('createdAt', '>', createdAt)
    .execute();
}

export async function findAccountAlert(
  db: Db,
  tokenHash: string,
  now: Instant,
): Promise<Selectable<AccountAlertsTable> | undefined> {
  return db
    .selectFrom('accountAlerts')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function deleteAccountAlert(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.deleteFrom('accountAlerts').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}
