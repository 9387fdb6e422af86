import { TIERS, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/queries/prepared.ts';
import type { FilePreviewsTable } from '../../platform/db/schema/files.ts';
import type { FileRow } from '../../platform/db/schema.ts';

export const MAX_ATTEMPTS = 2;

const PREVIEWING = TIERS.filter((tier) => tierIncludes(tier, 'previews'));

const STORED = ['files.id', 'files.storageKey', 'files.offset', 'files.sizeBytes'] as const;
export type StoredFile = Pick<FileRow, 'id' | 'storageKey' | 'offset' | 'sizeBytes'>;

export type PreviewedFile = StoredFile &
  Pick<FileRow, 'originalName' | 'crc32' | 'uploadedAt'> &
  Pick<FilePreviewsTable, 'kind' | 'mimeType'> & {
    ownerId: string;
    thumbnailKey: string | null;
    thumbnailBytes: number | null;
    previewKey: string | null;
    previewBytes: number | null;
    renderedAt: number | null;
  };

const selectPreviewedFile = prepare((db, transferId: string, fileId: string) =>
  db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .innerJoin('filePreviews', 'filePreviews.fileId', 'files.id')
    .leftJoin('fileThumbnails', 'fileThumbnails.fileId', 'files.id')
    .select([...STORED, 'files.originalName', 'files.crc32', 'files.uploadedAt'])
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

/** Returns undefined also if the file is damaged or its owner's plan has no previews. */
export async function findPreviewedFile(
  db: Db,
  { transferId, fileId }: { transferId: string; fileId: string },
): Promise<PreviewedFile | undefined> {
  const [file] = await selectPreviewedFile(db, transferId, fileId);
  return file;
}

export type UndetectedFile = StoredFile & Pick<FileRow, 'position'>;

/**
 * Returns the files of a ready transfer at positions in `(after, upTo]`. Includes detected ones, which the caller
 * skips: filtering them in SQL would scan all files before the first match.
 */
export function listFilesToDetect(
  db: Db,
  transferId: string,
  { after, upTo }: { after: number; upTo: number },
): Promise<(UndetectedFile & { detectedId: string | null })[]> {
  return db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .leftJoin('filePreviews', 'filePreviews.fileId', 'files.id')
    .select([...STORED, 'files.position', 'filePreviews.fileId as detectedId'])
    .where('files.transferId', '=', transferId)
    .where('transfers.status', '=', 'ready')
    .where('files.position', '>', after)
    .where('files.position', '<=', upTo)
    .orderBy('files.position')
    .execute();
}

export async function insertFilePreviews(db: Db, rows: Omit<FilePreviewsTable, 'attempts'>[]): Promise<void> {
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

export async function findServedRank(db: Db): Promise<number | undefined> {
  const next = await db
    .selectFrom('filePreviews')
    .select('rank')
    .where('state', '=', 'waiting')
    .where('attempts', '<', MAX_ATTEMPTS)
    .orderBy('attempts')
    .orderBy('rank')
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
  return next?.rank;
}

/** Counts the attempt first, so that a file that crashes the process isn't retried forever. */
export function claimWaiting(db: Db): Promise<{ fileId: string; attempts: number } | undefined> {
  return db
    .updateTable('filePreviews')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('fileId', '=', (eb) =>
      eb
        .selectFrom('filePreviews')
        .select('fileId')
        .where('state', '=', 'waiting')
        .where('attempts', '<', MAX_ATTEMPTS)
        .orderBy('attempts')
        .orderBy('rank')
        .orderBy('createdAt')
        .limit(1),
    )
    .where('attempts', '<', MAX_ATTEMPTS)
    .returning(['fileId', 'attempts'])
    .executeTakeFirst();
}

export function findStoredFile(db: Db, fileId: string): Promise<StoredFile | undefined> {
  return db.selectFrom('files').select(STORED).where('id', '=', fileId).executeTakeFirst();
}

export async function updateState(db: Db, fileId: string, state: FilePreviewsTable['state']): Promise<void> {
  await db.updateTable('filePreviews').set({ state }).where('fileId', '=', fileId).execute();
}

/** Uncounts an attempt that failed through no fault of the file. */
export async function refundAttempt(db: Db, fileId: string): Promise<void> {
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

/**
 * Returns false if the file already has a thumbnail or is being deleted for good: the caller must then remove the blobs.
 */
export async function insertThumbnail(trx: Trx, thumbnail: Thumbnail): Promise<boolean> {
  const file = await trx
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select('files.id')
    .where('files.id', '=', thumbnail.fileId)
    .where((eb) =>
      eb.or([eb('transfers.status', '!=', 'deleting'), eb('transfers.restorableUntil', 'is not', null)]),
    )
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
