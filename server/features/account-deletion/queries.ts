import type { Db, Trx } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';

/** Drafts come first because they could still become ready. */
export async function listRemainingTransfers(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where('userId', '=', userId)
    .where('status', '!=', 'deleting')
    .orderBy('status')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listDeletedUsers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('users').select('id').where('deletedAt', '>', 0).execute();
  return rows.map(({ id }) => id);
}

/** Tables with many rows per user are deleted in batches. Foreign keys delete the rest with the user's row. */
const OF_USER = [
  { table: 'userTotals', key: ['userId', 'dimension', 'day', 'value'] },
  { table: 'mails', key: ['id'] },
  { table: 'emailResends', key: ['id'] },
  { table: 'idempotencyKeys', key: ['id'] },
] as const;

/**
 * Deletes the row unless a transfer still refers to it: deleting a transfer's files needs the transfer's row. Returns
 * whether the row was deleted.
 */
export async function deleteUserRow(trx: Trx, userId: string): Promise<boolean> {
  const transfer = await trx
    .selectFrom('transfers')
    .select('id')
    .where('userId', '=', userId)
    .limit(1)
    .executeTakeFirst();
  if (transfer) return false;
  for (const { table, key } of OF_USER)
    await deleteInBatches(trx, { table, key: [...key] as never[] }, (eb) => eb('userId', '=', userId));
  await trx
    .deleteFrom('users')
    .where('id', '=', userId)
    .where('deletedAt', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('transfers').select('transfers.id').whereRef('transfers.userId', '=', 'users.id')),
      ),
    )
    .execute();
  const left = await trx.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  return left === undefined;
}
