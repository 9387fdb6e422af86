import type { Db } from '../../platform/db/open.ts';

/** When the download limit closed an auto-delete transfer; null while it is open, or when it is gone. */
export async function findClosedAt(db: Db, transferId: string): Promise<number | null> {
  const row = await db
    .selectFrom('transfers')
    .select('closedAt')
    .where('id', '=', transferId)
    .executeTakeFirst();
  return row?.closedAt ?? null;
}

export async function hasUnfinishedDownloads(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('completedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
