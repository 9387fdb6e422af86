import type { Db } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { FileRow, Tier, TransferRow } from '../../platform/db/schema.ts';

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
  'autoDeleteAfterDownloads',
  'takenDownAt',
  'fileCount',
  'totalBytes',
  'repairCount',
] as const satisfies (keyof TransferRow)[];

/** A ready transfer as the gate knows it. */
export type Share = Pick<TransferRow, (typeof SHARE)[number]> & { ownerTier: Tier };

const selectShare = prepare((db, token: string) =>
  db
    .selectFrom('transfers')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select(SHARE.map((column) => `transfers.${column}` as const))
    .select('users.tier as ownerTier')
    .where('token', '=', token)
    .where('status', '=', 'ready'),
);

export async function findShare(db: Db, token: string): Promise<Share | undefined> {
  const [share] = await selectShare(db, token);
  return share;
}

/** What a recipient sees of each file, in the order they were added; one query, because every view asks it. */
export const listSharedFiles = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .leftJoin('filePreviews', 'filePreviews.fileId', 'files.id')
    .leftJoin('fileThumbnails', 'fileThumbnails.fileId', 'files.id')
    .select(['filePreviews.fileId as lookedAt', 'filePreviews.kind', 'fileThumbnails.id as thumbnailId'])
    .select([
      'files.id',
      'originalName',
      'relativePath',
      'files.mimeType',
      'files.sizeBytes',
      'uploadedAt',
      'downloadCount',
      'zipBase',
      'position',
      'sha256',
      'damagedAt',
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
  'damagedAt',
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
    .select(['id', 'position', 'relativePath', 'sizeBytes', 'crc32', 'storageKey', 'offset', 'uploadedAt'])
    .where('transferId', '=', transferId)
    .orderBy('position'),
);
export type ZippedFile = Awaited<ReturnType<typeof listZippedFiles>>[number];

/** Files found to be damaged; nearly always none. */
export const listDamagedFiles = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .select(['id', 'originalName'])
    .where('transferId', '=', transferId)
    // Not "is not null": so that the index is used.
    .where('damagedAt', '>', 0),
);

/** What the list of checksums tells of each file, in the order they were added. */
export const listFileSums = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .select(['relativePath', 'sha256', 'damagedAt'])
    .where('transferId', '=', transferId)
    .orderBy('position'),
);
