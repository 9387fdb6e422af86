import type { Db, Trx } from '../../platform/db/open.ts';
import type { BlockedFile } from './emails.ts';
import type { Page } from './queries.ts';

const BLOCKED = ['infected', 'blocked'] as const;
/** Further files are another mail. */
const FILES_PER_MAIL = 500;

/** Transfers with blocked files that their owner has not been told of, in the order of their ids. */
export async function listUntoldBlocked(db: Db, { after, limit }: Page): Promise<string[]> {
  const rows = await db
    .selectFrom('heldFiles')
    .select('transferId')
    .distinct()
    .where('state', 'in', BLOCKED)
    .where('toldAt', 'is', null)
    .where('transferId', '>', after)
    .orderBy('transferId')
    .limit(limit)
    .execute();
  return rows.map(({ transferId }) => transferId);
}

/** Marks the untold blocked files of a transfer as told, and returns them by name. */
export async function claimUntoldBlocked(trx: Trx, transferId: string, now: number): Promise<BlockedFile[]> {
  const claimed = await trx
    .updateTable('heldFiles')
    .set({ toldAt: now })
    .where('fileId', 'in', (eb) =>
      eb
        .selectFrom('heldFiles as untold')
        .select('untold.fileId')
        .where('untold.transferId', '=', transferId)
        .where('untold.state', 'in', BLOCKED)
        .where('untold.toldAt', 'is', null)
        .limit(FILES_PER_MAIL),
    )
    .where('toldAt', 'is', null)
    .returning('fileId')
    .execute();
  const ids = claimed.map(({ fileId }) => fileId);
  if (ids.length === 0) return [];
  return await trx
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .select(['files.relativePath as name', 'files.sizeBytes', 'heldFiles.finding as signature'])
    .where('heldFiles.fileId', 'in', ids)
    .orderBy('files.position')
    .execute();
}
