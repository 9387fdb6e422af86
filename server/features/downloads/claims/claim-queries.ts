import { decodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import type { DownloadsTable } from '../../../platform/db/schema/downloads.ts';
import { allVersionsOf, readVersionFiles } from '../../transfers/index.ts';
import { readSelectedVersion } from '../version-downloads.ts';

type CountedFiles = Pick<DownloadsTable, 'transferId' | 'fileId' | 'selection' | 'zipNumber'>;

const POSITIONS_PER_STATEMENT = 1_000;

/** One conditional statement; the last download closes an auto-delete transfer. Returns undefined if none was left. */
export function claimPlace(
  trx: Trx,
  { transferId, isWhole, now }: { transferId: string; isWhole: boolean; now: number },
): Promise<{ closedAt: number | null; zipCount: number } | undefined> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({
      downloadCount: eb('downloadCount', '+', 1),
      zipCount: eb('zipCount', '+', isWhole ? 1 : 0),
      closedAt: eb
        .case()
        .when(
          eb.and([
            eb('autoDeleteAfterDownloads', '=', 1),
            eb(eb('downloadCount', '+', 1), '>=', eb.ref('maxDownloads')),
          ]),
        )
        .then(now)
        .else(null)
        .end(),
    }))
    .where('id', '=', transferId)
    .where('status', 'in', PUBLIC_STATUSES)
    .where('closedAt', 'is', null)
    .where('takenDownAt', 'is', null)
    .where((eb) =>
      eb.and([
        eb.or([eb('maxDownloads', 'is', null), eb('downloadCount', '<', eb.ref('maxDownloads'))]),
        eb.or([eb('scanState', 'is', null), eb('scanState', '=', 'partial')]),
        eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]),
        eb.or([eb('scheduledAvailableAt', 'is', null), eb('scheduledAvailableAt', '<=', now)]),
      ]),
    )
    .returning(['closedAt', 'zipCount'])
    .executeTakeFirst();
}

/**
 * Reverts `claimPlace` and reopens a closed transfer. `zipCount` stays, because counts of files added since are
 * relative to it; the files' own counts are reduced instead (`addToFileCounts`).
 */
export async function releasePlace(trx: Trx, transferId: string): Promise<void> {
  await trx
    .updateTable('transfers')
    .set((eb) => ({ downloadCount: eb('downloadCount', '-', 1), closedAt: null }))
    .where('id', '=', transferId)
    .execute();
}

export async function isUnlimited(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('transfers')
    .select('id')
    .where('id', '=', transferId)
    .where('status', 'in', PUBLIC_STATUSES)
    .where('maxDownloads', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function isCounted(db: Db, downloadId: string): Promise<boolean> {
  const row = await db.selectFrom('downloads').select('id').where('id', '=', downloadId).executeTakeFirst();
  return row !== undefined;
}

/**
 * Locks the row with an update that changes nothing, which works in both databases. Returns false if it was deleted.
 */
export async function lockTransfer(trx: Trx, transferId: string): Promise<boolean> {
  const row = await trx
    .updateTable('transfers')
    .set((eb) => ({ downloadCount: eb.ref('downloadCount') }))
    .where('id', '=', transferId)
    .where('status', 'in', PUBLIC_STATUSES)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function addToFileCounts(trx: Trx, counted: CountedFiles, change: 1 | -1): Promise<void> {
  const { transferId, fileId, selection, zipNumber } = counted;
  const files = trx
    .updateTable('files')
    .set((eb) => ({ downloadCount: eb('downloadCount', '+', change) }))
    .where('transferId', 'in', allVersionsOf(transferId));
  const version = selection === null ? undefined : readSelectedVersion(selection);
  if (fileId !== null) {
    await files.where('id', '=', fileId).execute();
  } else if (version !== undefined) {
    for await (const some of readVersionFiles(trx, { transferId, version }))
      await files
        .where(
          'id',
          'in',
          some.map(({ id }) => id),
        )
        .execute();
  } else if (selection !== null) {
    const positions = decodeSelection(selection) ?? [];
    for (let start = 0; start < positions.length; start += POSITIONS_PER_STATEMENT) {
      const some = positions.slice(start, start + POSITIONS_PER_STATEMENT);
      await files.where('position', 'in', some).execute();
    }
  } else if (zipNumber !== null && change === -1) {
    // Zips of all files are counted in the transfer's `zipCount`; files added later weren't in this one.
    await files.where('transferId', '=', transferId).where('zipBase', '<', zipNumber).execute();
  }
}

const INITIAL_STATE = {
  isReturnable: 1,
  completedAt: null,
  country: null,
  countedAt: null,
  countedCompletedAt: null,
} as const;

export async function insertDownload(
  trx: Trx,
  row: Omit<DownloadsTable, 'reachedBytes' | keyof typeof INITIAL_STATE>,
): Promise<void> {
  await trx
    .insertInto('downloads')
    .values({ ...row, ...INITIAL_STATE })
    .execute();
}

export async function resumeDownloadRow(
  db: Db,
  { downloadId, now }: { downloadId: string; now: number },
): Promise<boolean> {
  const row = await db
    .updateTable('downloads')
    .set((eb) => ({ activeAt: eb.case().when('completedAt', 'is', null).then(now).else(null).end() }))
    .where('id', '=', downloadId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** `reachedBytes` only grows, and `isReturnable` never becomes true again. */
export async function updateReached(
  db: Db,
  {
    downloadId,
    reachedBytes,
    isReturnable,
    now,
  }: { downloadId: string; reachedBytes: number; isReturnable: boolean; now: number },
): Promise<void> {
  await db
    .updateTable('downloads')
    .set((eb) => ({
      activeAt: now,
      ...(!isReturnable && { isReturnable: 0 as const }),
      reachedBytes: eb
        .case()
        .when('reachedBytes', '<', reachedBytes)
        .then(eb.cast<number>(eb.val(reachedBytes), 'bigint'))
        .else(eb.ref('reachedBytes'))
        .end(),
    }))
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .execute();
}

export type CompletedDownload = Pick<
  DownloadsTable,
  'id' | 'transferId' | 'downloadedAt' | 'fileId' | 'selection' | 'recipientId' | 'noticedAt'
>;

export async function isDelivered(db: Db, downloadId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .whereRef('reachedBytes', '>=', 'sizeBytes')
    .executeTakeFirst();
  return row !== undefined;
}

export async function completeDownloadRow(
  trx: Trx,
  { downloadId, now }: { downloadId: string; now: number },
): Promise<CompletedDownload | undefined> {
  return await trx
    .updateTable('downloads')
    .set((eb) => ({
      completedAt: now,
      activeAt: null,
      reachedBytes: eb.fn.coalesce('sizeBytes', 'reachedBytes'),
    }))
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .returning(['id', 'transferId', 'downloadedAt', 'fileId', 'selection', 'recipientId', 'noticedAt'])
    .executeTakeFirst();
}
