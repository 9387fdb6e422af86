import { TIERS, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { FilePreviewsTable, FileRow } from '../../platform/db/schema.ts';

/** Tries of a picture before its file is given up. */
export const MAX_TRIES = 2;

/** The plans whose senders get previews, at this moment. */
const PREVIEWING = TIERS.filter((tier) => tierIncludes(tier, 'previews'));

const PLACED = ['files.id', 'files.storageKey', 'files.offset', 'files.sizeBytes'] as const;
export type PlacedFile = Pick<FileRow, 'id' | 'storageKey' | 'offset' | 'sizeBytes'>;

export type ShownFile = PlacedFile &
  Pick<FileRow, 'originalName' | 'crc32' | 'uploadedAt'> &
  Pick<FilePreviewsTable, 'kind' | 'mimeType'> & {
    ownerId: string;
    thumbnailKey: string | null;
    thumbnailBytes: number | null;
    previewKey: string | null;
    previewBytes: number | null;
    renderedAt: number | null;
  };

const selectShown = prepare((db, transferId: string, fileId: string) =>
  db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .innerJoin('filePreviews', 'filePreviews.fileId', 'files.id')
    .leftJoin('fileThumbnails', 'fileThumbnails.fileId', 'files.id')
    .select([...PLACED, 'files.originalName', 'files.crc32', 'files.uploadedAt'])
    .select(['filePreviews.kind', 'filePreviews.mimeType', 'transfers.userId as ownerId'])
    .select(['fileThumbnails.storageKey as thumbnailKey', 'fileThumbnails.sizeBytes as thumbnailBytes'])
    .select(['fileThumbnails.previewStorageKey as previewKey', 'fileThumbnails.createdAt as renderedAt'])
    .select('fileThumbnails.previewSizeBytes as previewBytes')
    .where('files.id', '=', fileId)
    .where('transfers.id', '=', transferId)
    .where('transfers.status', '=', 'ready')
    .where('files.damagedAt', 'is', null)
    .where('users.tier', 'in', PREVIEWING),
);

/** A file with what is shown of it; undefined also when it is damaged or its owner's plan has no previews. */
export async function findShown(
  db: Db,
  { transferId, fileId }: { transferId: string; fileId: string },
): Promise<ShownFile | undefined> {
  const [file] = await selectShown(db, transferId, fileId);
  return file;
}

export type UnseenFile = PlacedFile & Pick<FileRow, 'position'>;

/**
 * The files of a ready transfer at positions in `(after, upTo]`, and whether each has been examined. The caller skips those
 * that have: a query that searched for the others would go through all files before them.
 */
export function listFilesToExamine(
  db: Db,
  transferId: string,
  { after, upTo }: { after: number; upTo: number },
): Promise<(UnseenFile & { examinedId: string | null })[]> {
  return db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .leftJoin('filePreviews', 'filePreviews.fileId', 'files.id')
    .select([...PLACED, 'files.position', 'filePreviews.fileId as examinedId'])
    .where('files.transferId', '=', transferId)
    .where('transfers.status', '=', 'ready')
    .where('files.position', '>', after)
    .where('files.position', '<=', upTo)
    .orderBy('files.position')
    .execute();
}

export async function insertLooks(db: Db, rows: Omit<FilePreviewsTable, 'attempts'>[]): Promise<void> {
  await db
    .insertInto('filePreviews')
    .values(rows.map((row) => ({ ...row, attempts: 0 })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findOwnerId(db: Db, transferId: string): Promise<string | undefined> {
  const transfer = await db
    .selectFrom('transfers')
    .select('userId')
    .where('id', '=', transferId)
    .executeTakeFirst();
  return transfer?.userId;
}

/** The rank of the next file that gets its picture; undefined when none waits. */
export async function findServedRank(db: Db): Promise<number | undefined> {
  const next = await db
    .selectFrom('filePreviews')
    .select('rank')
    .where('state', '=', 'waiting')
    .where('attempts', '<', MAX_TRIES)
    .orderBy('attempts')
    .orderBy('rank')
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
  return next?.rank;
}

/**
 * Claims the next file that waits for its picture. The attempt is counted before it is made, so a file that crashes
 * the process is not tried forever. The order of ranks gives each owner turns (`PictureTurns`).
 */
export function claimWaiting(db: Db): Promise<{ fileId: string; attempts: number } | undefined> {
  return db
    .updateTable('filePreviews')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('fileId', '=', (eb) =>
      eb
        .selectFrom('filePreviews')
        .select('fileId')
        .where('state', '=', 'waiting')
        .where('attempts', '<', MAX_TRIES)
        .orderBy('attempts')
        .orderBy('rank')
        .orderBy('createdAt')
        .limit(1),
    )
    .where('attempts', '<', MAX_TRIES)
    .returning(['fileId', 'attempts'])
    .executeTakeFirst();
}

export function findPlaced(db: Db, fileId: string): Promise<PlacedFile | undefined> {
  return db.selectFrom('files').select(PLACED).where('id', '=', fileId).executeTakeFirst();
}

export async function updateState(db: Db, fileId: string, state: FilePreviewsTable['state']): Promise<void> {
  await db.updateTable('filePreviews').set({ state }).where('fileId', '=', fileId).execute();
}

/** The try was broken off by us and does not count. */
export async function returnTry(db: Db, fileId: string): Promise<void> {
  await db
    .updateTable('filePreviews')
    .set((eb) => ({ attempts: eb('attempts', '-', 1) }))
    .where('fileId', '=', fileId)
    .where('attempts', '>', 0)
    .execute();
}

export type Thumbnail = {
  id: string;
  fileId: string;
  storageKey: string;
  mimeType: string;
  width: number;
  height: number;
  sizeBytes: number;
  createdAt: number;
  previewStorageKey: string;
  previewSizeBytes: number;
};

/** False when the file has one already, or is gone or about to go: its blobs are then nobody's. */
export async function insertThumbnail(trx: Trx, thumbnail: Thumbnail): Promise<boolean> {
  const file = await trx
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select('files.id')
    .where('files.id', '=', thumbnail.fileId)
    .where('transfers.status', '!=', 'deleting')
    .executeTakeFirst();
  if (!file) return false;
  const inserted = await trx
    .insertInto('fileThumbnails')
    .values(thumbnail)
    .onConflict((conflict) => conflict.column('fileId').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}
