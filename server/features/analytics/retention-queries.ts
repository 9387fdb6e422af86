import type { Db } from '../../platform/db/open.ts';

/** Removes the oldest downloads from before an instant, if the totals hold them; returns how many. */
export async function deleteCountedDownloads(db: Db, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('downloads')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('downloads')
        .select('id')
        .where('downloadedAt', '<', before)
        .where('countedAt', 'is not', null)
        .where((or) => or.or([or('completedAt', 'is', null), or('countedCompletedAt', 'is not', null)]))
        .orderBy('downloadedAt')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** The same of views. */
export async function deleteCountedViews(db: Db, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('transferViews')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('transferViews')
        .select('id')
        .where('viewedAt', '<', before)
        .where('countedAt', 'is not', null)
        .orderBy('viewedAt')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Removes what some transfers' totals say of days before this one; returns how many rows. */
export async function deleteTransferTotals(db: Db, before: string, limit: number): Promise<number> {
  const old = await db
    .selectFrom('transferTotals')
    .select('transferId')
    .where('day', '<', before)
    .orderBy('day')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = [...new Set(old.map(({ transferId }) => transferId))];
  const { numDeletedRows } = await db
    .deleteFrom('transferTotals')
    .where('transferId', 'in', ids)
    .where('day', '<', before)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** The same of users. */
export async function deleteUserTotals(db: Db, before: string, limit: number): Promise<number> {
  const old = await db
    .selectFrom('userTotals')
    .select('userId')
    .where('day', '<', before)
    .orderBy('day')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = [...new Set(old.map(({ userId }) => userId))];
  const { numDeletedRows } = await db
    .deleteFrom('userTotals')
    .where('userId', 'in', ids)
    .where('day', '<', before)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
