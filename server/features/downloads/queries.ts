import type { Db, Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { DownloadsTable, FileRow, TransferRow } from '../../platform/db/schema.ts';

const SHARE = [
  'id',
  'userId',
  'title',
  'message',
  'createdAt',
  'expiresAt',
  'scheduledAvailableAt',
  'passwordHash',
  'downloadCount',
  'zipCount',
  'maxDownloads',
  'closedAt',
  'fileCount',
  'totalBytes',
] as const satisfies (keyof TransferRow)[];

/** A ready transfer as the gate knows it. */
export type Share = Pick<TransferRow, (typeof SHARE)[number]>;

const selectShare = prepare((db, token: string) =>
  db.selectFrom('transfers').select(SHARE).where('token', '=', token).where('status', '=', 'ready'),
);

export async function findShare(db: Db, token: string): Promise<Share | undefined> {
  const [share] = await selectShare(db, token);
  return share;
}

/** What a recipient sees of each file, in the order they were added. */
export const listSharedFiles = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .select([
      'id',
      'originalName',
      'relativePath',
      'mimeType',
      'sizeBytes',
      'uploadedAt',
      'downloadCount',
      'zipBase',
    ])
    .where('transferId', '=', transferId)
    .orderBy('position'),
);

const STORED = [
  'id',
  'originalName',
  'relativePath',
  'mimeType',
  'sizeBytes',
  'crc32',
  'storageKey',
  'offset',
  'uploadedAt',
] as const satisfies (keyof FileRow)[];

/** A file with where its bytes lie. */
export type StoredFile = Pick<FileRow, (typeof STORED)[number]>;

const selectFile = prepare((db, transferId: string, fileId: string) =>
  db.selectFrom('files').select(STORED).where('id', '=', fileId).where('transferId', '=', transferId),
);

export async function findFile(
  db: Db,
  { transferId, fileId }: { transferId: string; fileId: string },
): Promise<StoredFile | undefined> {
  const [file] = await selectFile(db, transferId, fileId);
  return file;
}

/** What a zip needs of each file, in the order they were added. */
export const listZippedFiles = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .select(['id', 'relativePath', 'sizeBytes', 'crc32', 'storageKey', 'offset', 'uploadedAt'])
    .where('transferId', '=', transferId)
    .orderBy('position'),
);
export type ZippedFile = Awaited<ReturnType<typeof listZippedFiles>>[number];

/**
 * Takes one download if there is one left, in one statement, and closes an auto-delete transfer with its
 * last one. Returns undefined when nothing was left to take.
 */
export function takeDownload(
  trx: Trx,
  { transferId, isZip, now }: { transferId: string; isZip: boolean; now: number },
): Promise<{ closedAt: number | null } | undefined> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({
      downloadCount: eb('downloadCount', '+', 1),
      zipCount: eb('zipCount', '+', isZip ? 1 : 0),
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
    .where('status', '=', 'ready')
    .where('closedAt', 'is', null)
    .where((eb) =>
      eb.and([
        eb.or([eb('maxDownloads', 'is', null), eb('downloadCount', '<', eb.ref('maxDownloads'))]),
        eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]),
        eb.or([eb('scheduledAvailableAt', 'is', null), eb('scheduledAvailableAt', '<=', now)]),
      ]),
    )
    .returning('closedAt')
    .executeTakeFirst();
}

/** The reverse of `takeDownload`, for a download of which not even the head could be sent. */
export async function returnDownload(
  trx: Trx,
  { transferId, isZip }: { transferId: string; isZip: boolean },
): Promise<void> {
  await trx
    .updateTable('transfers')
    .set((eb) => ({
      downloadCount: eb('downloadCount', '-', 1),
      zipCount: eb('zipCount', '-', isZip ? 1 : 0),
      closedAt: null,
    }))
    .where('id', '=', transferId)
    .execute();
}

export async function addToFileCount(trx: Trx, fileId: string, change: 1 | -1): Promise<void> {
  await trx
    .updateTable('files')
    .set((eb) => ({ downloadCount: eb('downloadCount', '+', change) }))
    .where('id', '=', fileId)
    .execute();
}

export async function insertDownload(
  trx: Trx,
  row: Omit<DownloadsTable, 'completedAt' | 'noticedAt'>,
): Promise<void> {
  await trx
    .insertInto('downloads')
    .values({ ...row, completedAt: null, noticedAt: null })
    .execute();
}

export async function deleteDownload(trx: Trx, downloadId: string): Promise<void> {
  await trx.deleteFrom('downloads').where('id', '=', downloadId).execute();
}

/** Returns the transfer, and the recipient if known, of a download that had not been complete before. */
export async function completeDownloadRow(
  db: Db,
  { downloadId, now }: { downloadId: string; now: number },
): Promise<Pick<DownloadsTable, 'transferId' | 'recipientId'> | undefined> {
  return await db
    .updateTable('downloads')
    .set({ completedAt: now })
    .where('id', '=', downloadId)
    .where('completedAt', 'is', null)
    .returning(['transferId', 'recipientId'])
    .executeTakeFirst();
}

export async function isClosed(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('transfers')
    .select('id')
    .where('id', '=', transferId)
    .where('closedAt', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function hasRunningDownloads(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('downloads')
    .select('id')
    .where('transferId', '=', transferId)
    .where('completedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
