import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { AccountAlertsTable, Instant } from '../../platform/db/schema.ts';

type AccountAlert = Selectable<AccountAlertsTable>;

export async function insertAccountAlert(trx: Trx, row: Insertable<AccountAlertsTable>): Promise<void> {
  await trx.insertInto('accountAlerts').values(row).execute();
}

export async function findAccountAlert(
  db: Db,
  tokenHash: string,
  now: Instant,
): Promise<AccountAlert | undefined> {
  return db
    .selectFrom('accountAlerts')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

/** False when another call used the link, or an account recovery voided it. */
export async function deleteAccountAlert(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.deleteFrom('accountAlerts').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function deleteAccountAlertsOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('accountAlerts').where('userId', '=', userId).execute();
}
