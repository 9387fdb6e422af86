import { deleteInBatches } from '../../platform/db/batches.ts';
import type { Db, Trx } from '../../platform/db/open.ts';

/** Transfers that are not marked as deleting yet, drafts first: those could still become ready. */
export async function listLivingTransfers(db: Db, userId: string, limit: number): Promise<string[]> {
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

/** What a user may have many of beside transfers. The rest goes with the row (foreign keys). */
const OF_USER = [
  { table: 'userTotals', key: ['userId', 'dimension', 'day', 'value'] },
  { table: 'mails', key: ['id'] },
  { table: 'emailResends', key: ['id'] },
  { table: 'idempotencyKeys', key: ['id'] },
] as const;

/** The row goes once no transfer names it: a transfer's bytes are found by its row. Returns whether it is gone. */
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
