import type { Db, Trx } from '../../platform/db/open.ts';
import type { Page } from './queries.ts';

type Due = {
  /** Damage found after this instant waits, so that one mail names all files that are found together. */
  foundBefore: number;
  /** A transfer whose owner was told of other damage after this instant waits as well. */
  toldBefore: number;
};

/** Transfers with damaged files that their owner has not been told of, in the order of their ids. */
export async function listUntoldDamage(db: Db, { after, limit }: Page, due: Due): Promise<string[]> {
  const rows = await db
    .selectFrom('files')
    .select('transferId')
    .distinct()
    .where('damagedAt', 'is not', null)
    .where('damageToldAt', 'is', null)
    .where('damagedAt', '<=', due.foundBefore)
    .where('transferId', '>', after)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('files as told')
            .select('told.id')
            .whereRef('told.transferId', '=', 'files.transferId')
            .where('told.damagedAt', '>', 0)
            .where('told.damageToldAt', '>', due.toldBefore),
        ),
      ),
    )
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

/** Marks all untold damage of a transfer as told, and returns the files by name. */
export async function claimUntoldDamage(
  trx: Trx,
  transferId: string,
  now: number,
): Promise<{ id: string; name: string; sizeBytes: number }[]> {
  const rows = await trx
    .updateTable('files')
    .set({ damageToldAt: now })
    .where('transferId', '=', transferId)
    .where('damagedAt', 'is not', null)
    .where('damageToldAt', 'is', null)
    .returning(['id', 'relativePath as name', 'sizeBytes'])
    .execute();
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
