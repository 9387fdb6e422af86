import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Database, DownloadsTable } from '../../platform/db/schema.ts';

type Idle = { idleSince: number };

export type IdleDownload = Pick<DownloadsTable, 'id' | 'transferId' | 'recipientId' | 'ipAddress'>;

/** Unfinished downloads of which no byte has moved since an instant; of one transfer, if asked. */
export async function listIdleDownloads(
  db: Db,
  { idleSince, transferId, limit }: Idle & { transferId: string | undefined; limit: number },
): Promise<IdleDownload[]> {
  return await db
    .selectFrom('downloads')
    .select(['id', 'transferId', 'recipientId', 'ipAddress'])
    .where('activeAt', '<=', idleSince)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .limit(limit)
    .execute();
}

/** Deletes an unfinished download, however much of it was delivered. */
export async function deleteUnfinishedDownload(
  trx: Trx,
  downloadId: string,
): Promise<Selectable<DownloadsTable> | undefined> {
  return await trx
    .deleteFrom('downloads')
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Who claimed a place of a transfer, and how many they may be given back. */
export type Claimant = { transferId: string; claimantKey: string; maxReturns: number };

/**
 * Deletes an idle download that has delivered next to nothing, if its claimant may be given back another place, and
 * counts that. Exact only while the caller has locked the transfer.
 */
export async function deleteReturnableDownload(
  trx: Trx,
  { downloadId, idleSince, claimant }: Idle & { downloadId: string; claimant: Claimant },
): Promise<Selectable<DownloadsTable> | undefined> {
  const { transferId, claimantKey, maxReturns } = claimant;
  const deleted = await trx
    .deleteFrom('downloads')
    .where('id', '=', downloadId)
    .where('activeAt', '<=', idleSince)
    .where(isReturnable)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('placeReturns')
            .select('count')
            .where('placeReturns.transferId', '=', transferId)
            .where('claimantKey', '=', claimantKey)
            .where('count', '>=', maxReturns),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst();
  if (!deleted) return undefined;
  await trx
    .insertInto('placeReturns')
    .values({ transferId, claimantKey, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['transferId', 'claimantKey'])
        .doUpdateSet((eb) => ({ count: eb('placeReturns.count', '+', 1) })),
    )
    .execute();
  return deleted;
}

/** It stays counted. Sweeps skip it until it resumes. */
export async function settleIdleDownload(trx: Trx, downloadId: string, { idleSince }: Idle): Promise<void> {
  await trx
    .updateTable('downloads')
    .set({ activeAt: null })
    .where('id', '=', downloadId)
    .where('activeAt', '<=', idleSince)
    .execute();
}

/** Whether the place of a download of the transfer may still be given back. */
export async function hasReturnableDownloads(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('activeAt', 'is not', null)
    .where(isReturnable)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function isReturnable(eb: ExpressionBuilder<Database, 'downloads'>) {
  return eb.and([eb('completedAt', 'is', null), eb('isReturnable', '=', 1)]);
}
