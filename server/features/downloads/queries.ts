import type { Db } from '../../platform/db/open.ts';
import { firstFileName } from '../../platform/db/queries/first-file.ts';
import { prepare } from '../../platform/db/queries/prepared.ts';
import { PUBLIC_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import type { Tier } from '../../platform/db/schema/column-types.ts';
import type { FileRow, HeldFileRow, TransferRow } from '../../platform/db/schema.ts';
import { allVersionsOf, countShownFiles, earlierFilesOf } from '../transfers/index.ts';

const SHARE = [
  'id',
  'status',
  'userId',
  'title',
  'message',
  'createdAt',
  'expiresAt',
  'scheduledAvailableAt',
  'passwordHash',
  'encryption',
  'accessKeyHash',
  'downloadCount',
  'zipCount',
  'maxDownloads',
  'closedAt',
  'autoDeleteAfterDownloads',
  'takenDownAt',
  'scanState',
  'fileCount',
  'totalBytes',
  'expectedFiles',
  'reservedBytes',
  'repairCount',
  'zipSummary',
  'version',
  'readyAt',
] as const satisfies (keyof TransferRow)[];

export type Share = Pick<TransferRow, (typeof SHARE)[number]> & {
  ownerTier: Tier;
  ownerName: string;
  firstFileName: string | null;
};

const selectShare = prepare((db, token: string) =>
  db
    .selectFrom('transfers')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select(SHARE.map((column) => `transfers.${column}` as const))
    .select(['users.tier as ownerTier', 'users.name as ownerName', firstFileName])
    .where('token', '=', token)
    .where((eb) =>
      eb.or([
        eb('status', 'in', PUBLIC_STATUSES),
        eb.and([eb('status', '=', 'draft'), eb('arrivalStoppedAt', 'is not', null)]),
      ]),
    ),
);

/** A draft is one whose link was shared early and whose upload has stopped. */
export async function findShare(db: Db, token: string): Promise<Share | undefined> {
  const [share] = await selectShare(db, token);
  return share && { ...share, ...countShownFiles(share) };
}

/** Returns the transfer's hash afterwards: `to`, or what another call has set since. */
export async function replacePasswordHash(
  db: Db,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<string | null | undefined> {
  const replaced = await db
    .updateTable('transfers')
    .set({ passwordHash: to })
    .where('id', '=', id)
    .where('passwordHash', '=', from)
    .returning('passwordHash')
    .executeTakeFirst();
  if (replaced) return to;
  const row = await db.selectFrom('transfers').select('passwordHash').where('id', '=', id).executeTakeFirst();
  return row?.passwordHash;
}

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
  'announcedAt',
  'modifiedAt',
  'damagedAt',
] as const satisfies (keyof FileRow)[];

/** `heldState` is null if the file may be downloaded. */
export type StoredFile = Pick<FileRow, (typeof STORED)[number]> & { heldState: HeldFileRow['state'] | null };

const selectFile = prepare((db, transferId: string, earlierId: string, fileId: string) =>
  db
    .selectFrom('files')
    .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select(STORED.map((column) => `files.${column}` as const))
    .select('heldFiles.state as heldState')
    .where('files.id', '=', fileId)
    .where('files.transferId', 'in', [transferId, earlierId]),
);

/** Also in earlier versions of the transfer. */
export async function findFile(
  db: Db,
  { transferId, fileId }: { transferId: string; fileId: string },
): Promise<StoredFile | undefined> {
  const [file] = await selectFile(db, transferId, earlierFilesOf(transferId), fileId);
  return file;
}

export async function findFileIdAt(
  db: Db,
  transferId: string,
  position: number,
): Promise<string | undefined> {
  const file = await db
    .selectFrom('files')
    .select('id')
    .where('transferId', 'in', allVersionsOf(transferId))
    .where('position', '=', position)
    .executeTakeFirst();
  return file?.id;
}

const selectDamagedFile = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .select(['originalName'])
    .where('transferId', '=', transferId)
    // `> 0` instead of `is not null`, and no order, so that the index is used.
    .where('damagedAt', '>', 0)
    .limit(1),
);

type DamagedFile = Pick<FileRow, 'originalName'>;

export async function findDamagedFile(db: Db, transferId: string): Promise<DamagedFile | undefined> {
  const [file] = await selectDamagedFile(db, transferId);
  return file;
}

export function findDamagedAt(
  db: Db,
  transferId: string,
  positions: number[],
): Promise<DamagedFile | undefined> {
  return db
    .selectFrom('files')
    .select(['originalName'])
    .where('transferId', '=', transferId)
    .where('position', 'in', positions)
    .where('damagedAt', 'is not', null)
    .limit(1)
    .executeTakeFirst();
}

export const listFileSums = prepare((db, transferId: string, after: number, upTo: number) =>
  db
    .selectFrom('files')
    .select(['position', 'sha256', 'damagedAt'])
    .where('transferId', '=', transferId)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position'),
);

const selectUnknownSum = prepare((db, transferId: string) =>
  db
    .selectFrom('files')
    .select('id')
    // `checkedAt` is redundant (set once the sum is known or the file is damaged) but makes the index usable.
    .where('checkedAt', 'is', null)
    .where('transferId', '=', transferId)
    .where('sha256', 'is', null)
    .limit(1),
);

export async function hasPendingChecksum(db: Db, transferId: string): Promise<boolean> {
  return (await selectUnknownSum(db, transferId)).length > 0;
}

export async function isFileHeld(db: Db, fileId: string): Promise<boolean> {
  const row = await db
    .selectFrom('heldFiles')
    .select('fileId')
    .where('fileId', '=', fileId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function hasHeldFile(db: Db, transferId: string): Promise<boolean> {
  const row = await db
    .selectFrom('heldFiles')
    .select('fileId')
    .where('transferId', '=', transferId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function isHeldAt(db: Db, transferId: string, positions: number[]): Promise<boolean> {
  const row = await db
    .selectFrom('files')
    .innerJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select('files.id')
    .where('files.transferId', '=', transferId)
    .where('position', 'in', positions)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
