import type { Db, Trx } from '../../../platform/db/open.ts';
import type { PlannedChangesTable } from '../../../platform/db/schema/transfers.ts';
import type { FileRow, TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { allVersionsOf, deletePlannedChanges, earlierFilesOf } from '../../transfers/index.ts';

export type StagedUpload = Pick<UploadRow, 'id' | 'position' | 'relativePath' | 'sizeBytes' | 'state'>;

/** Rows per statement, so that none blocks the event loop for long. */
const BATCH = 500;

/** In `relativePath` of a planned change: the next version does not contain the file. */
export const REMOVED = '';

export async function insertUpdateDraft(
  trx: Trx,
  draft: { id: string; userId: string; token: string; updatesTransferId: string; createdAt: number },
): Promise<void> {
  await trx
    .insertInto('transfers')
    .values({ ...draft, status: 'draft', recipientEmails: '[]', expectedFiles: NEVER_COMPLETE })
    .execute();
  await trx
    .updateTable('transfers')
    .set({ updateDraftId: draft.id })
    .where('id', '=', draft.updatesTransferId)
    .execute();
}

/** Undefined if no update has begun, or if it was discarded. */
export function findDraft(
  db: Db,
  { id, updateDraftId }: Pick<TransferRow, 'id' | 'updateDraftId'>,
): Promise<{ id: string } | undefined> {
  if (updateDraftId === null) return Promise.resolve(undefined);
  return db
    .selectFrom('transfers')
    .select('id')
    .where('id', '=', updateDraftId)
    .where('updatesTransferId', '=', id)
    .where('status', '=', 'draft')
    .executeTakeFirst();
}

/** More files than a transfer may have, so that completing them never makes the draft public. */
const NEVER_COMPLETE = 2 ** 31 - 1;

export async function insertChanges(trx: Trx, changes: PlannedChangesTable[]): Promise<void> {
  for (let start = 0; start < changes.length; start += BATCH)
    await trx
      .insertInto('plannedChanges')
      .values(changes.slice(start, start + BATCH))
      .onConflict((conflict) => conflict.columns(['draftId', 'fileId', 'relativePath']).doNothing())
      .execute();
}

export async function countChanges(trx: Trx, draftId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('plannedChanges')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('draftId', '=', draftId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function hasOpenUpload(trx: Trx, draftId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('uploads')
    .select('id')
    .where('transferId', '=', draftId)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export function listStagedUploads(
  db: Db,
  { draftId, after, limit }: { draftId: string; after: number; limit: number },
): Promise<StagedUpload[]> {
  return db
    .selectFrom('uploads')
    .select(['id', 'position', 'relativePath', 'sizeBytes', 'state'])
    .where('transferId', '=', draftId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** Creates the row that holds files of earlier versions. */
export async function insertEarlierFilesRow(
  trx: Trx,
  { id, userId, createdAt }: Pick<TransferRow, 'id' | 'userId' | 'createdAt'>,
): Promise<void> {
  const holder = earlierFilesOf(id);
  await trx
    .insertInto('transfers')
    .values({ id: holder, userId, token: holder, status: 'earlier', recipientEmails: '[]', createdAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export type FileSum = { files: number; bytes: number };
/** `hasHeldFiles`: some of them wait for the scanner or are blocked. */
export type MovedFiles = FileSum & { hasHeldFiles: boolean };

/** Moves the files whose removal is planned out of the current version. Ignores those that it does not contain. */
export async function endPlannedFiles(
  trx: Trx,
  { draftId, transfer }: { draftId: string; transfer: Pick<TransferRow, 'id' | 'version' | 'zipCount'> },
): Promise<MovedFiles> {
  const ended: MovedFiles = { files: 0, bytes: 0, hasHeldFiles: false };
  for (let after = ''; ; ) {
    const planned = await trx
      .selectFrom('plannedChanges')
      .select('fileId')
      .where('draftId', '=', draftId)
      .where('relativePath', '=', REMOVED)
      .where('fileId', '>', after)
      .orderBy('fileId')
      .limit(BATCH)
      .execute();
    if (planned.length === 0) break;
    const ids = planned.map(({ fileId }) => fileId);
    const rows = await trx
      .updateTable('files')
      .set((eb) => ({
        transferId: earlierFilesOf(transfer.id),
        untilVersion: transfer.version + 1,
        // Later zips do not contain the file.
        downloadCount: eb('downloadCount', '+', eb(eb.val(transfer.zipCount), '-', eb.ref('zipBase'))),
        zipBase: transfer.zipCount,
      }))
      .where('id', 'in', ids)
      .where('transferId', '=', transfer.id)
      .returning(['id', 'sizeBytes'])
      .execute();
    const endedIds = rows.map(({ id }) => id);
    if (await moveHeldFiles(trx, endedIds, earlierFilesOf(transfer.id))) ended.hasHeldFiles = true;
    ended.files += rows.length;
    ended.bytes += rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    after = ids.at(-1)!;
  }
  if (ended.files > 0)
    await trx
      .updateTable('transfers')
      .set((eb) => ({
        fileCount: eb('fileCount', '+', ended.files),
        totalBytes: eb('totalBytes', '+', ended.bytes),
      }))
      .where('id', '=', earlierFilesOf(transfer.id))
      .execute();
  return ended;
}

export type ReusedFile = FileRow & { newPath: string; isHeld: boolean };

/** Pages of the files that the next version contains under another path, by id. */
export async function* readReusedFiles(
  trx: Trx,
  { draftId, transferId }: { draftId: string; transferId: string },
): AsyncGenerator<{ planned: number; files: ReusedFile[] }> {
  for (let after = { fileId: '', relativePath: '' }; ; ) {
    const planned = await trx
      .selectFrom('plannedChanges')
      .select(['fileId', 'relativePath'])
      .where('draftId', '=', draftId)
      .where('relativePath', '!=', REMOVED)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('fileId', 'relativePath'), '>', tuple(after.fileId, after.relativePath)),
      )
      .orderBy('fileId')
      .orderBy('relativePath')
      .limit(BATCH)
      .execute();
    if (planned.length === 0) return;
    const rows = await trx
      .selectFrom('files')
      .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
      .selectAll('files')
      .select('heldFiles.fileId as heldId')
      .where('files.id', 'in', [...new Set(planned.map(({ fileId }) => fileId))])
      .where('files.transferId', 'in', allVersionsOf(transferId))
      .where('damagedAt', 'is', null)
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield {
      planned: planned.length,
      files: planned.flatMap(({ fileId, relativePath }) => {
        const found = byId.get(fileId);
        if (!found) return [];
        const { heldId, ...file } = found;
        return [{ ...file, newPath: relativePath, isHeld: heldId !== null }];
      }),
    };
    after = planned.at(-1)!;
  }
}

type Adoption = {
  draftId: string;
  transfer: Pick<TransferRow, 'id' | 'version' | 'zipCount'>;
  /** Added to the positions of the draft's files. */
  shift: number;
};

/** Makes the draft's files files of the transfer's next version. */
export async function adoptDraftFiles(trx: Trx, { draftId, transfer, shift }: Adoption): Promise<MovedFiles> {
  const adopted: MovedFiles = { files: 0, bytes: 0, hasHeldFiles: false };
  for (;;) {
    const waiting = await trx
      .selectFrom('files')
      .select('id')
      .where('transferId', '=', draftId)
      .limit(BATCH)
      .execute();
    if (waiting.length === 0) break;
    const ids = waiting.map(({ id }) => id);
    const rows = await trx
      .updateTable('files')
      .set((eb) => ({
        transferId: transfer.id,
        position: eb('position', '+', shift),
        sinceVersion: transfer.version + 1,
        zipBase: transfer.zipCount,
      }))
      .where('id', 'in', ids)
      .returning('sizeBytes')
      .execute();
    if (await moveHeldFiles(trx, ids, transfer.id)) adopted.hasHeldFiles = true;
    adopted.files += rows.length;
    adopted.bytes += rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  await moveCompleteUploads(trx, draftId, transfer.id);
  return adopted;
}

/** So that repeated completions are answered as before. */
async function moveCompleteUploads(trx: Trx, draftId: string, transferId: string): Promise<void> {
  for (;;) {
    const some = await trx
      .selectFrom('uploads')
      .select('id')
      .where('transferId', '=', draftId)
      .limit(BATCH)
      .execute();
    if (some.length === 0) return;
    const ids = some.map(({ id }) => id);
    await trx.updateTable('uploads').set({ transferId }).where('id', 'in', ids).execute();
  }
}

/** Returns whether any of the files is held. */
async function moveHeldFiles(trx: Trx, fileIds: string[], transferId: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('heldFiles')
    .set({ transferId })
    .where('fileId', 'in', fileIds)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type NextVersion = {
  transfer: Pick<TransferRow, 'id' | 'version'>;
  fileCount: number;
  totalBytes: number;
  storagePerTransfer: number;
};

/** Returns false if another update was faster, or if the next version would be too large. */
export async function startNextVersion(
  trx: Trx,
  { transfer: { id, version }, fileCount, totalBytes, storagePerTransfer }: NextVersion,
): Promise<boolean> {
  if (totalBytes > storagePerTransfer) return false;
  const row = await trx
    .updateTable('transfers')
    .set((eb) => ({
      version: version + 1,
      fileCount,
      totalBytes,
      // Caches compare it.
      repairCount: eb('repairCount', '+', 1),
      updateDraftId: null,
      zipSummary: null,
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where('status', '=', 'ready')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertEndedVersion(
  trx: Trx,
  transfer: Pick<TransferRow, 'id' | 'version' | 'readyAt' | 'createdAt' | 'fileCount' | 'totalBytes'>,
  endedAt: number,
): Promise<void> {
  const { id: transferId, version, fileCount, totalBytes } = transfer;
  const before = await trx
    .selectFrom('transferVersions')
    .select('endedAt')
    .where('transferId', '=', transferId)
    .where('version', '=', version - 1)
    .executeTakeFirst();
  const startedAt = before?.endedAt ?? transfer.readyAt ?? transfer.createdAt;
  await trx
    .insertInto('transferVersions')
    .values({ transferId, version, fileCount, totalBytes, startedAt, endedAt })
    .execute();
}

export async function deleteAdoptedDraft(trx: Trx, draftId: string): Promise<void> {
  await deletePlannedChanges(trx, draftId);
  await trx.deleteFrom('transfers').where('id', '=', draftId).where('status', '=', 'draft').execute();
}
