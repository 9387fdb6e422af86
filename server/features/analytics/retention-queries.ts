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

/** Removes what the totals of transfers say of days before this one, at most `limit` rows; returns how many. */
export async function deleteTransferTotals(db: Db, before: string, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('transferTotals')
    .where((eb) =>
      eb(
        eb.refTuple('transferId', 'dimension', 'day', 'value'),
        'in',
        eb
          .selectFrom('transferTotals')
          .select(['transferId', 'dimension', 'day', 'value'])
          .where('day', '<', before)
          .orderBy('day')
          .limit(limit)
          .$asTuple('transferId', 'dimension', 'day', 'value'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** The same of users. */
export async function deleteUserTotals(db: Db, before: string, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('userTotals')
    .where((eb) =>
      eb(
        eb.refTuple('userId', 'dimension', 'day', 'value'),
        'in',
        eb
          .selectFrom('userTotals')
          .select(['userId', 'dimension', 'day', 'value'])
          .where('day', '<', before)
          .orderBy('day')
          .limit(limit)
          .$asTuple('userId', 'dimension', 'day', 'value'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
