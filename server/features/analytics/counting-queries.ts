import type { Trx } from '../../platform/db/open.ts';

/** A batch of what is not in the totals yet, day by day: so it adds to few of their rows. Of one transfer, or of all. */
export type Batch = { limit: number; transferId?: string };

/** Downloads that are complete, or began before this instant: what is worth counting. */
type Settled = { beganUntil: number };

export function listUncountedDownloads(trx: Trx, { limit, transferId }: Batch, settled?: Settled) {
  return trx
    .selectFrom('downloads')
    .select(['id', 'transferId', 'ipAddress'])
    .where('countedAt', 'is', null)
    .$if(settled !== undefined, (query) =>
      query.where((eb) =>
        eb.or([eb('completedAt', 'is not', null), eb('downloadedAt', '<=', settled!.beganUntil)]),
      ),
    )
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .orderBy('transferId')
    .orderBy('downloadedAt')
    .limit(limit)
    .execute();
}

const OF_DOWNLOAD = [
  'transferId',
  'downloadedAt',
  'country',
  'userAgent',
  'fileId',
  'selection',
  'completedAt',
] as const;

/** Marks them as counted, with their completion if there is one; returns those that nobody else has marked. */
export function takeDownloads(
  trx: Trx,
  ids: string[],
  { country, now }: { country: string | null; now: number },
) {
  return trx
    .updateTable('downloads')
    .set((eb) => ({ country, countedAt: now, countedCompletedAt: eb.ref('completedAt') }))
    .where('id', 'in', ids)
    .where('countedAt', 'is', null)
    .returning(OF_DOWNLOAD)
    .execute();
}

/** Counted downloads that were completed since. */
export async function listUncountedCompletions(trx: Trx, { limit, transferId }: Batch): Promise<string[]> {
  const rows = await trx
    .selectFrom('downloads')
    .select('id')
    .where('countedCompletedAt', 'is', null)
    .where('completedAt', 'is not', null)
    .where('countedAt', 'is not', null)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .orderBy('transferId')
    .orderBy('completedAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export function takeCompletions(trx: Trx, ids: string[]) {
  return trx
    .updateTable('downloads')
    .set((eb) => ({ countedCompletedAt: eb.ref('completedAt') }))
    .where('id', 'in', ids)
    .where('countedCompletedAt', 'is', null)
    .where('completedAt', 'is not', null)
    .where('countedAt', 'is not', null)
    .returning(OF_DOWNLOAD)
    .execute();
}

export function listUncountedViews(trx: Trx, { limit, transferId }: Batch) {
  return trx
    .selectFrom('transferViews')
    .select(['id', 'transferId', 'ipAddress'])
    .where('countedAt', 'is', null)
    .$if(transferId !== undefined, (query) => query.where('transferId', '=', transferId!))
    .orderBy('transferId')
    .orderBy('viewedAt')
    .limit(limit)
    .execute();
}

export function takeViews(
  trx: Trx,
  ids: string[],
  { country, city, now }: { country: string | null; city: string | null; now: number },
) {
  return trx
    .updateTable('transferViews')
    .set({ country, city, countedAt: now })
    .where('id', 'in', ids)
    .where('countedAt', 'is', null)
    .returning(['transferId', 'viewedAt', 'country', 'userAgent', 'referer'])
    .execute();
}

/** Transfer → owner. */
export async function findOwners(trx: Trx, transferIds: string[]): Promise<Map<string, string>> {
  const rows = await trx
    .selectFrom('transfers')
    .select(['id', 'userId'])
    .where('id', 'in', transferIds)
    .execute();
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}
