import { HELD_STATES, type OwnHeldFile } from '../../../contracts/transfers/held-files.ts';
import { RECENT_DOWNLOADS } from '../../../contracts/transfers/transfers.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';
import { firstFileName } from '../../platform/db/queries/first-file.ts';
import { prepare } from '../../platform/db/queries/prepared.ts';
import { PUBLIC_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import type { Flag, Tier } from '../../platform/db/schema/column-types.ts';
import type { EmailResendsTable } from '../../platform/db/schema/transfers.ts';
import type { FileRow, TransferRow } from '../../platform/db/schema.ts';
import { randomId } from '../../platform/lib/tokens.ts';

export const SHOWN = [
  'id',
  'token',
  'status',
  'expectedFiles',
  'reservedBytes',
  'title',
  'message',
  'receivedFrom',
  'recipientEmails',
  'createdAt',
  'expiresAt',
  'scheduledAvailableAt',
  'passwordHash',
  'encryption',
  'receivedKey',
  'downloadCount',
  'zipCount',
  'maxDownloads',
  'autoDeleteAfterDownloads',
  'fileCount',
  'totalBytes',
  'version',
  'takenDownAt',
  'scanState',
] as const satisfies (keyof TransferRow)[];
export type ShownTransfer = Pick<TransferRow, (typeof SHOWN)[number]> & { firstFileName: string | null };

const SHOWN_OF_FILE = [
  'files.id',
  'originalName',
  'relativePath',
  'files.mimeType',
  'files.sizeBytes',
  'uploadedAt',
  'modifiedAt',
  'isExecutable',
  'downloadCount',
  'zipBase',
  'position',
  'files.sha256',
  'damagedAt',
] as const satisfies (keyof FileRow | `files.${keyof FileRow}`)[];

/** Positions in `(after, upTo]`. One query per page view, so it includes the previews. */
export const listShownFiles = prepare((db, transferId: string, after: number, upTo: number) =>
  db
    .selectFrom('files')
    .leftJoin('filePreviews', 'filePreviews.fileId', 'files.id')
    .leftJoin('fileThumbnails', 'fileThumbnails.fileId', 'files.id')
    .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select(SHOWN_OF_FILE)
    .select('heldFiles.state as heldState')
    .select(['filePreviews.fileId as detectedId', 'filePreviews.kind', 'fileThumbnails.id as thumbnailId'])
    .where('files.transferId', '=', transferId)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position'),
);
export type ShownFile = Awaited<ReturnType<typeof listShownFiles>>[number];

type Owned = { transferId: string; userId: string };

export function findPublicTransfer(
  db: Db,
  { transferId, userId }: Owned,
): Promise<(ShownTransfer & { ownerTier: Tier }) | undefined> {
  return db
    .selectFrom('transfers')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select(SHOWN.map((column) => `transfers.${column}` as const))
    .select(['users.tier as ownerTier', firstFileName])
    .where('transfers.id', '=', transferId)
    .where('transfers.userId', '=', userId)
    .where('transfers.status', 'in', PUBLIC_STATUSES)
    .executeTakeFirst();
}

export async function listHeldFiles(db: Db, transferId: string, limit: number): Promise<OwnHeldFile[]> {
  const rows = await db
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .select(['files.id', 'relativePath', 'state', 'finding'])
    .where('heldFiles.transferId', '=', transferId)
    .where('state', 'in', HELD_STATES)
    .limit(limit)
    .execute();
  return rows as OwnHeldFile[];
}

export function findTransferOfEvent(trx: Trx, transferId: string): Promise<ShownTransfer | undefined> {
  return trx
    .selectFrom('transfers')
    .select([...SHOWN, firstFileName])
    .where('id', '=', transferId)
    .where('status', 'in', PUBLIC_STATUSES)
    .executeTakeFirst();
}

export async function ownsTransfer(trx: Trx, { transferId, userId }: Owned): Promise<boolean> {
  const found = await trx
    .selectFrom('transfers')
    .select('id')
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return found !== undefined;
}

export function listFirstFiles(
  db: Db,
  transferId: string,
  count: number,
): Promise<{ name: string; sizeBytes: number }[]> {
  return db
    .selectFrom('files')
    .select(['originalName as name', 'sizeBytes'])
    .where('transferId', '=', transferId)
    .orderBy('position')
    .limit(count)
    .execute();
}

export function listRecentDownloads(db: Db, transferId: string) {
  return db
    .selectFrom('downloads')
    .leftJoin('transferRecipients as by', 'by.id', 'downloads.recipientId')
    .select([
      'downloads.id',
      'downloads.downloadedAt',
      'fileId',
      'selection',
      'ipAddress',
      'country',
      'userAgent',
      'by.email as recipientEmail',
    ])
    .where('downloads.transferId', '=', transferId)
    .orderBy('downloads.downloadedAt', 'desc')
    .orderBy('downloads.id', 'desc')
    .limit(RECENT_DOWNLOADS)
    .execute();
}

type Marking = { transferId: string; expiredBefore: number | undefined; restorableUntil: number | null };

/**
 * Returns undefined if already marked, or if the expiry is not before `expiredBefore`. Only a public transfer that can
 * still be downloaded is restorable: the job that removes a used-up one runs once.
 */
export async function markDeleting(
  trx: Trx,
  { transferId, expiredBefore, restorableUntil }: Marking,
): Promise<Pick<TransferRow, 'id' | 'token' | 'userId' | 'restorableUntil'> | undefined> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({
      status: 'deleting',
      restorableUntil:
        restorableUntil === null
          ? null
          : eb
              .case()
              .when(eb.and([eb('status', '=', 'ready'), eb('closedAt', 'is', null)]))
              .then(eb.cast<number>(eb.val(restorableUntil), 'bigint'))
              .else(null)
              .end(),
    }))
    .where('id', '=', transferId)
    .where('status', '!=', 'deleting')
    .$if(expiredBefore !== undefined, (query) => query.where('expiresAt', '<=', expiredBefore!))
    .returning(['id', 'token', 'userId', 'restorableUntil'])
    .executeTakeFirst();
}

/** `latest`: a later end was written while the clock was wrong, and counts as over. */
type UndoTime = { transferId: string; now: number; latest: number };

/** One of `markRestored` and `closeUndo` succeeds, and only once. */
export async function markRestored(
  trx: Trx,
  { transferId, userId, now, latest }: UndoTime & { userId: string },
): Promise<Pick<TransferRow, 'id' | 'token' | 'userId'> | undefined> {
  return trx
    .updateTable('transfers')
    .set({ status: 'ready', restorableUntil: null })
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .where('status', '=', 'deleting')
    .where('restorableUntil', '>', now)
    .where('restorableUntil', '<=', latest)
    .returning(['id', 'token', 'userId'])
    .executeTakeFirst();
}

/** Returns false if a deletion can still be undone, or never could be. */
export async function closeUndo(trx: Trx, { transferId, now, latest }: UndoTime): Promise<boolean> {
  const closed = await trx
    .updateTable('transfers')
    .set({ restorableUntil: null })
    .where('id', '=', transferId)
    .where('status', '=', 'deleting')
    .where((eb) => eb.or([eb('restorableUntil', '<=', now), eb('restorableUntil', '>', latest)]))
    .returning('id')
    .executeTakeFirst();
  return closed !== undefined;
}

export function findDeletingTransfer(
  db: Db,
  transferId: string,
): Promise<Pick<TransferRow, 'userId' | 'restorableUntil' | 'updateDraftId'> | undefined> {
  return db
    .selectFrom('transfers')
    .select(['userId', 'restorableUntil', 'updateDraftId'])
    .where('id', '=', transferId)
    .where('status', '=', 'deleting')
    .executeTakeFirst();
}

export function listDeletingTransfers(db: Db): Promise<Pick<TransferRow, 'id' | 'restorableUntil'>[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'restorableUntil'])
    .where('status', '=', 'deleting')
    .execute();
}

/** Without duplicates; includes packs, unfinished uploads, thumbnails and sealed documents. */
export async function listStorageKeys(db: Db, transferId: string): Promise<string[]> {
  const ofTable = (table: 'files' | 'uploads' | 'packs' | 'sealedDocuments') =>
    db.selectFrom(table).select('storageKey').where('transferId', '=', transferId);
  const rows = await ofTable('files')
    .union(ofTable('uploads'))
    .union(ofTable('packs'))
    .union(ofTable('sealedDocuments'))
    .union(
      db
        .selectFrom('fileThumbnails')
        .innerJoin('files', 'files.id', 'fileThumbnails.fileId')
        .select('fileThumbnails.storageKey')
        .where('files.transferId', '=', transferId),
    )
    .union(
      db
        .selectFrom('fileThumbnails')
        .innerJoin('files', 'files.id', 'fileThumbnails.fileId')
        .select('fileThumbnails.previewStorageKey as storageKey')
        .where('files.transferId', '=', transferId)
        .where('previewStorageKey', 'is not', null)
        .$narrowType<{ storageKey: string }>(),
    )
    .execute();
  return rows.map(({ storageKey }) => storageKey);
}

/** A transfer may have many rows in these tables. Foreign keys delete the rest with the transfer's row. */
const OF_TRANSFER = [
  { table: 'files', key: ['id'] },
  { table: 'uploads', key: ['id'] },
  { table: 'downloads', key: ['id'] },
  { table: 'transferViews', key: ['id'] },
  { table: 'mails', key: ['id'] },
  { table: 'transferRecipients', key: ['id'] },
  { table: 'placeReturns', key: ['transferId', 'claimantKey'] },
  { table: 'transferTotals', key: ['transferId', 'dimension', 'day', 'value'] },
] as const;

export async function deletePartsOfTransfer(db: Db, transferId: string): Promise<void> {
  for (const { table, key } of OF_TRANSFER)
    await deleteInBatches(db, { table, key: [...key] as never[] }, (eb) => eb('transferId', '=', transferId));
  await deletePlannedChanges(db, transferId);
}

/** Of the draft of an update. There may be 200,000, too many for a foreign key to delete with the draft. */
export async function deletePlannedChanges(db: Db, draftId: string): Promise<void> {
  await deleteInBatches(db, { table: 'plannedChanges', key: ['draftId', 'fileId', 'relativePath'] }, (eb) =>
    eb('draftId', '=', draftId),
  );
}

export function deleteDeletingTransfer(
  trx: Trx,
  transferId: string,
): Promise<Pick<TransferRow, 'id' | 'token' | 'userId'> | undefined> {
  return trx
    .deleteFrom('transfers')
    .where('id', '=', transferId)
    .where('status', '=', 'deleting')
    .returning(['id', 'token', 'userId'])
    .executeTakeFirst();
}

/** The row that `earlierFilesOf` names, once its files are gone. */
export async function deleteEarlierFilesRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('transfers').where('id', '=', id).where('status', '=', 'earlier').execute();
}

export function updateIsExpired(
  trx: Trx,
  { isExpired, now, limit }: { isExpired: Flag; now: number; limit: number },
): Promise<Pick<TransferRow, 'id' | 'token' | 'userId'>[]> {
  return (
    trx
      .updateTable('transfers')
      .set({ isExpired })
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('transfers')
          .select('id')
          .where('status', '=', 'ready')
          .where('isExpired', '=', isExpired === 1 ? 0 : 1)
          .where('expiresAt', isExpired === 1 ? '<=' : '>', now)
          .limit(limit),
      )
      // Repeats the condition because another process may have marked it since the subquery read it; the fate would be
      // recorded twice.
      .where('isExpired', '=', isExpired === 1 ? 0 : 1)
      .returning(['id', 'token', 'userId'])
      .execute()
  );
}

export async function listExpiredTransfers(
  db: Db,
  { expiredBefore, limit }: { expiredBefore: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('transfers')
    .select('id')
    .where('status', '=', 'ready')
    .where('expiresAt', '<=', expiredBefore)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function countTransfersAfter(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<{ count: number; last: string | undefined }> {
  const row = await db
    .selectFrom((eb) =>
      eb.selectFrom('transfers').select('id').where('id', '>', after).orderBy('id').limit(limit).as('slice'),
    )
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('slice.id').as('last')])
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), last: row.last ?? undefined };
}

export async function insertResend(trx: Trx, resend: Omit<EmailResendsTable, 'id'>): Promise<void> {
  await trx
    .insertInto('emailResends')
    .values({ ...resend, id: randomId() })
    .execute();
}

export async function updateRecipientEmails(
  trx: Trx,
  transferId: string,
  recipientEmails: string[],
): Promise<void> {
  await trx
    .updateTable('transfers')
    .set({ recipientEmails: JSON.stringify(recipientEmails) })
    .where('id', '=', transferId)
    .execute();
}
