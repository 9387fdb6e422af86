import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant, PasswordResetsTable } from '../../platform/db/schema.ts';

export async function insertPasswordReset(trx: Trx, row: Insertable<PasswordResetsTable>): Promise<void> {
  await trx.insertInto('passwordResets').values(row).execute();
}

export async function selectPasswordReset(
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

/** False when the link was used or made void meanwhile. */
export async function deletePasswordReset(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.deleteFrom('passwordResets').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function deletePasswordResetsOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('passwordResets').where('userId', '=', userId).execute();
}
