import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Database, DownloadsTable } from '../../platform/db/schema.ts';

type Idle = { idleSince: number };

export type IdleDownload = Pick<DownloadsTable, 'id' | 'transferId'>;

/** Unfinished downloads of which no byte has moved since an instant; of one transfer, if asked. */
export async function listIdleDownloads(
  db: Db,
  { idleSince, transferId, limit }: Idle & { transferId: string | undefined; limit: number },
): Promise<IdleDownload[]> {
  return await db
    .selectFrom('downloads')
    .select(['id', 'transferId'])
    .where('activeAt', '<=', idleSince)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .limit(limit)
    .execute();
}

/** Deletes a download; with `idleSince` only one that was given up since then with less than half delivered. */
export async function deleteDownload(
  trx: Trx,
  { downloadId, idleSince }: { downloadId: string; idleSince?: number },
): Promise<Selectable<DownloadsTable> | undefined> {
  return await trx
    .deleteFrom('downloads')
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .$if(idleSince !== undefined, (query) => query.where('activeAt', '<=', idleSince!).where(isUnderHalf))
    .returningAll()
    .executeTakeFirst();
}

/** It stays counted, and nobody need look at it again unless it goes on. */
export async function settleIdleDownload(trx: Trx, downloadId: string, { idleSince }: Idle): Promise<void> {
  await trx
    .updateTable('downloads')
    .set({ activeAt: null })
    .where('id', '=', downloadId)
    .where('activeAt', '<=', idleSince)
    .execute();
}

/** Whether a download of the transfer may yet be given back. */
export async function hasReturnableDownloads(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('activeAt', 'is not', null)
    .where('completedAt', 'is', null)
    .where(isUnderHalf)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function isUnderHalf(eb: ExpressionBuilder<Database, 'downloads'>) {
  return eb(eb('reachedBytes', '*', 2), '<', eb.ref('sizeBytes'));
}
