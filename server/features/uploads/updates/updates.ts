import { MAX_FILES_PER_TRANSFER } from '../../../../contracts/plans/limits.ts';
import type { StagedFile, TransferVersion } from '../../../../contracts/transfers/versions.ts';
import { VERSIONS_MAX } from '../../../../contracts/transfers/versions.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { normalisePath } from '../../../../contracts/values/names/file-names.ts';
import { FILES_PER_PAGE, type Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../../platform/lib/cursor.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { enqueueCheck, nextVerification } from '../../checksums/index.ts';
import { enqueueFileDetection } from '../../previews/index.ts';
import { enqueueScan, refreshScanState } from '../../scanning/index.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import {
  allVersionsOf,
  claimCounts,
  enqueueZipMeasure,
  findOwnTransfer,
  isExpired,
  lockOwnTransfer,
  recordTransferFates,
  removeTransfer,
  requireComplete,
  reserveInTransfer,
  retryAfterRecount,
  transferLimitExceeded,
} from '../../transfers/index.ts';
import { movePacks } from '../core/places.ts';
import { findNextPosition, requireCounts } from '../core/positions.ts';
import { insertFiles } from '../core/queries.ts';
import {
  adoptDraftFiles,
  countChanges,
  deleteAdoptedDraft,
  endPlannedFiles,
  type FileSum,
  findDraft,
  hasOpenUpload,
  insertChanges,
  insertEarlierFilesRow,
  insertEndedVersion,
  insertUpdateDraft,
  listStagedUploads,
  REMOVED,
  readReusedFiles,
  startNextVersion,
} from './update-queries.ts';

type Owner = Pick<UserRow, 'id' | 'tier'>;
type Own = { transferId: string; owner: Owner };
/** Without `draftId`, whichever draft there is. */
type OwnUpdate = Own & { draftId: string | undefined };

/** Removals and reused files of one update. */
const CHANGES_MAX = 2 * MAX_FILES_PER_TRANSFER;

/**
 * Opens the draft for the next version, or finds the one that is open. With `anew`, discards the open one and opens
 * another, so that updates at the same time never share a draft. Throws AppError `transfer_not_found`, `still_arriving`,
 * `transfer_expired`, `transfer_used_up`, `encrypted_not_updatable`, `not_allowed`, `too_many_versions`,
 * `count_quota_exceeded`.
 */
export function beginUpdate(
  context: Context,
  { transferId, owner, anew }: Own & { anew: boolean },
): Promise<{ draftId: string; version: number }> {
  const { db, clock } = context;
  return retryAfterRecount(context, owner.id, () =>
    transaction(db, async (trx) => {
      const transfer = await lockUpdatable(trx, context, { transferId, owner });
      const { version } = transfer;
      const open = await findDraft(trx, transfer);
      if (open && !anew) return { draftId: open.id, version };
      if (open) await removeDraft(trx, context, open.id);
      await claimCounts(trx, { owner, files: 0, drafts: 1 });
      const draftId = randomId();
      await insertUpdateDraft(trx, {
        id: draftId,
        userId: owner.id,
        token: randomId(),
        updatesTransferId: transferId,
        createdAt: clock.now(),
      });
      return { draftId, version };
    }),
  );
}

async function lockUpdatable(
  trx: Trx,
  { clock }: Pick<Context, 'clock'>,
  { transferId, owner }: Own,
): Promise<TransferRow> {
  const transfer = await lockOwnTransfer(trx, owner.id, transferId);
  requireComplete(transfer);
  if (transfer.encryption !== null) throw new AppError('encrypted_not_updatable');
  // A received transfer documents what its visitor sent.
  if (transfer.receivedFrom !== null) throw new AppError('not_allowed');
  if (isExpired(transfer, clock.now())) throw new AppError('transfer_expired');
  if (transfer.closedAt !== null) throw new AppError('transfer_used_up');
  if (transfer.version >= VERSIONS_MAX)
    throw new AppError('too_many_versions', { details: { count: formatCount(VERSIONS_MAX) } });
  return transfer;
}

export type PlannedUpdate = {
  removed: string[];
  reused: { fileId: string; relativePath: string }[];
};

/** Throws what `beginUpdate` throws, and AppError `update_not_begun`, `invalid_input`. */
export async function planUpdate(
  context: Context,
  own: OwnUpdate,
  { removed, reused }: PlannedUpdate,
): Promise<void> {
  const named = reused.map(({ fileId, relativePath }, index) => {
    const path = normalisePath(relativePath);
    if (path !== undefined) return { fileId, relativePath: path };
    const message = 'This path is too deep or too long.';
    throw new AppError('invalid_input', { message, errors: { [`reused.${index}.relativePath`]: message } });
  });
  await transaction(context.db, async (trx) => {
    const { draftId } = await lockUpdate(trx, context, own);
    const removals = removed.map((fileId) => ({ fileId, relativePath: REMOVED }));
    const changes = [...removals, ...named].map((change) => ({ draftId, ...change }));
    await insertChanges(trx, changes);
    if ((await countChanges(trx, draftId)) > CHANGES_MAX) throw new AppError('invalid_input');
  });
}

async function lockUpdate(
  trx: Trx,
  context: Context,
  own: OwnUpdate,
): Promise<{ transfer: TransferRow; draft: TransferRow; draftId: string }> {
  const transfer = await lockUpdatable(trx, context, own);
  const found = await findDraft(trx, transfer);
  if (!found || found.id !== (own.draftId ?? found.id)) throw new AppError('update_not_begun');
  // Locked, so that no upload completes or begins meanwhile.
  const draft = await lockOwnTransfer(trx, own.owner.id, found.id);
  return { transfer, draft, draftId: draft.id };
}

/** Empty if no update has begun. Throws AppError `transfer_not_found`, `invalid_input` for an unknown cursor. */
export async function listStaged(
  context: Context,
  { transferId, owner }: Own,
  cursor: string | undefined,
): Promise<Page<StagedFile>> {
  const transfer = await findOwnTransfer(context.db, owner.id, transferId);
  const after = Number(readCursor(cursor, 'position')?.key ?? -1);
  const limit = FILES_PER_PAGE;
  const draft = await findDraft(context.db, transfer);
  if (!draft) return { items: [], nextCursor: undefined };
  const rows = await listStagedUploads(context.db, { draftId: draft.id, after, limit: limit + 1 });
  const sorted = rows.map((row) => ({ ...row, sortKey: row.position }));
  const { shown, nextCursor } = cutPage(sorted, { sort: 'position', limit });
  const items = shown.map(({ id: uploadId, relativePath, sizeBytes: size, state }) => ({
    uploadId,
    relativePath,
    size,
    isComplete: state === 'complete',
  }));
  return { items, nextCursor };
}

/** Has no effect if there is no such draft. Throws AppError `transfer_not_found`. */
export function discardUpdate(context: Context, { transferId, owner, draftId }: OwnUpdate): Promise<void> {
  return transaction(context.db, async (trx) => {
    const transfer = await lockOwnTransfer(trx, owner.id, transferId);
    const draft = await findDraft(trx, transfer);
    if (draft && draft.id === (draftId ?? draft.id)) await removeDraft(trx, context, draft.id);
  });
}

async function removeDraft(trx: Trx, context: Context, draftId: string): Promise<void> {
  await removeTransfer({ ...context, db: trx }, draftId, { cause: 'aborted' });
}

/**
 * Makes the prepared version the current one in one transaction; readers see one or the other. Throws what `beginUpdate`
 * throws, and AppError `update_outdated`, `update_not_begun`, `update_unfinished`, `update_empty`, `file_not_found`,
 * `file_checking`, `transfer_limit_exceeded`, `count_quota_exceeded`.
 */
export async function publishUpdate(
  context: Context,
  own: OwnUpdate,
  version: number,
): Promise<TransferVersion> {
  const { storagePerTransfer } = limitsOf(await getTierConfig(context), own.owner.tier);
  return retryAfterRecount(context, own.owner.id, () =>
    transaction(context.db, (trx) => commitUpdate(trx, context, { own, version, storagePerTransfer })),
  );
}

type Commit = { own: OwnUpdate; version: number; storagePerTransfer: number };

async function commitUpdate(
  trx: Trx,
  context: Context,
  { own, version, storagePerTransfer }: Commit,
): Promise<TransferVersion> {
  const now = context.clock.now();
  const { version: current } = await lockOwnTransfer(trx, own.owner.id, own.transferId);
  if (current !== version) throw new AppError('update_outdated');
  const { transfer, draft, draftId } = await lockUpdate(trx, context, own);
  if (await hasOpenUpload(trx, draftId)) throw new AppError('update_unfinished');
  const { owner, transferId } = own;
  // Earlier versions keep their bytes, so they count against the transfer's limit.
  const { reservedBytes: bytes } = draft;
  await reserveInTransfer(trx, { owner, transferId, bytes, storagePerTransfer });

  await insertEarlierFilesRow(trx, transfer);
  const shift = await findNextPosition(trx, transferId);
  const ended = await endPlannedFiles(trx, { draftId, transfer });
  const reused = await insertReusedFiles(trx, { draftId, transfer, now, position: shift });
  if (reused.files > 0) await claimCounts(trx, { owner, files: reused.files, openUploads: 0, drafts: 0 });
  const added = await adoptDraftFiles(trx, { draftId, transfer, shift: shift + reused.files });
  const fileCount = transfer.fileCount - ended.files + reused.files + added.files;
  const totalBytes = transfer.totalBytes - ended.bytes + reused.bytes + added.bytes;
  if (fileCount === 0) throw new AppError('update_empty');
  requireCounts({ files: fileCount, positions: shift + reused.files + added.files });
  await movePacks(trx, draftId, transferId);
  await insertEndedVersion(trx, transfer, now);
  if (!(await startNextVersion(trx, { transfer, fileCount, totalBytes, storagePerTransfer })))
    throw transferLimitExceeded(owner, storagePerTransfer);
  if (ended.hasHeldFiles || added.hasHeldFiles) await refreshScanState(trx, context, transferId);
  if (added.hasHeldFiles) await enqueueScan(trx, owner.id, now);
  await deleteAdoptedDraft(trx, draftId);
  await recordTransferFates({ ...context, db: trx }, 'updated', [transfer]);
  for (const id of allVersionsOf(transferId)) await enqueueCheck(trx, id);
  await enqueueFileDetection(trx, { owner, transferId });
  await enqueueZipMeasure(trx, { transferId, fileCount, isAddition: true }, now);
  return { version: version + 1, startedAt: toIso(now), fileCount, totalSize: totalBytes };
}

type Reuse = { draftId: string; transfer: TransferRow; now: number; position: number };

/** Inserts new files with the bytes of existing ones. Blobs are deleted with the transfer and all its versions. */
async function insertReusedFiles(trx: Trx, { draftId, transfer, now, position }: Reuse): Promise<FileSum> {
  const reused: FileSum = { files: 0, bytes: 0 };
  for await (const { planned, files } of readReusedFiles(trx, { draftId, transferId: transfer.id })) {
    if (files.length < planned) throw new AppError('file_not_found');
    if (files.some(({ isHeld }) => isHeld)) throw new AppError('file_checking');
    await insertFiles(
      trx,
      files.map(({ newPath, isHeld: _, ...file }, index) => ({
        ...file,
        id: randomId(),
        transferId: transfer.id,
        position: position + reused.files + index,
        relativePath: newPath,
        originalName: newPath.slice(newPath.lastIndexOf('/') + 1),
        uploadedAt: now,
        downloadCount: 0,
        zipBase: transfer.zipCount,
        sinceVersion: transfer.version + 1,
        untilVersion: null,
        verifyAt: nextVerification(file.storageKey, now),
      })),
    );
    reused.files += files.length;
    reused.bytes += files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  return reused;
}
