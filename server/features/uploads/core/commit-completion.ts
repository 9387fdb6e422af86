import type { TierLimits } from '../../../../contracts/plans/tiers.ts';
import type { CompletedUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { normaliseFileName } from '../../../../contracts/values/names/file-names.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { nextVerification } from '../../checksums/index.ts';
import { enqueueReceipt } from '../../invitations/index.ts';
import { enqueueScan, quarantineNewFiles } from '../../scanning/index.ts';
import {
  addFilesToTransfer,
  announceFileCount,
  applySettings,
  becomeReadyIfComplete,
  changeAnnouncedFiles,
  chargeMails,
  type DecidedSettings,
  listDecidedEmails,
  lockOwnTransfer,
  removeEmptyDraft,
  requireManifest,
  reserveInTransfer,
} from '../../transfers/index.ts';
import { lockInvitation } from '../visitors/visitors.ts';
import { movePacks } from './places.ts';
import { findRoomForFiles } from './positions.ts';
import { presentCompletion } from './presenter.ts';
import { closeUploads, hasUploads, insertFiles, selectOwnUploads } from './queries.ts';
import { enqueueReadyJobs } from './ready-jobs.ts';
import { repairFiles } from './repairs.ts';
import { requireAcceptsFiles, requireStillOpen, type Scope, scopeOf, type Uploader } from './uploader.ts';

type Request = {
  fileCount: number | undefined;
  fileName?: string | undefined;
  mimeType?: string | undefined;
};

type Commit = {
  uploader: Uploader;
  limits: TierLimits;
  request: Request;
  settings: DecidedSettings | undefined;
  open: UploadRow[];
  checksums: number[];
  transfer: Pick<TransferRow, 'id'>;
};

export async function commitCompletion(
  trx: Trx,
  context: Context,
  { uploader, limits, request, settings, open, checksums, transfer: { id: transferId } }: Commit,
): Promise<CompletedUpload> {
  const now = context.clock.now();
  const { owner } = uploader;
  const scope = scopeOf(uploader);
  await lockInvitation(trx, context, uploader);
  const transfer = await lockOwnTransfer(trx, owner.id, transferId);
  const ids = open.map(({ id }) => id);
  const closed = await closeUploads(trx, { scope, transferId, ids, now });
  if (closed.size < ids.length) await requireExisting(trx, scope, ids);
  const answer = presentCompletion(uploader, transfer);
  if (closed.size === 0) return answer;
  requireStillOpen(uploader, transfer);

  const whole = open
    .map((upload, index) => ({ ...upload, crc32: checksums[index]! }))
    .filter(({ id }) => closed.has(id));
  const repairs = whole.filter(({ repairsFileId }) => repairsFileId !== null);
  if (repairs.length > 0) await repairFiles(trx, transferId, repairs);
  const mine = whole.filter(({ repairsFileId }) => repairsFileId === null);
  if (mine.length === 0) return answer;
  const known = Math.max(...mine.map(({ manifestRevision }) => manifestRevision ?? 0));
  await requireManifest(trx, transfer, known);
  requireReceivedKey(uploader, transfer);
  const placed = await joinTransfer(trx, { uploader, limits, transfer, uploads: mine, now });
  await insertFiles(
    trx,
    placed.map((upload) => toFile(upload, { request, transfer, uploadedAt: now })),
  );
  const hasHeldFiles = await quarantineNewFiles(trx, context, {
    transferId,
    userId: owner.id,
    isEncrypted: transfer.encryption !== null,
    files: placed,
  });
  // Enqueue a scan per file instead of per transfer, so that recipients wait less.
  if (hasHeldFiles) await enqueueScan(trx, owner.id, now);
  await addFilesToTransfer(trx, {
    owner,
    transferId,
    files: placed.length,
    bytes: placed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    storagePerTransfer: limits.storagePerTransfer,
  });
  const settlement = { uploader, transferId, settings, fileCount: request.fileCount };
  const isReady = (await settleTransfer(trx, context, settlement)) || transfer.status === 'ready';
  if (isReady) await enqueueReadyJobs(trx, { owner, transfer, now, addedFiles: placed.length, hasHeldFiles });
  return answer;
}

/** Without the sealed key, the owner could never open what a visitor sent. Throws AppError `sealed_key_missing`. */
function requireReceivedKey({ visitor }: Uploader, { encryption, receivedKey }: TransferRow): void {
  if (visitor && encryption !== null && receivedKey === null) throw new AppError('sealed_key_missing');
}

type Settlement = {
  uploader: Uploader;
  transferId: string;
  settings: DecidedSettings | undefined;
  fileCount: number | undefined;
};

/** The first completion applies the settings; later ones may still correct the number of files. */
async function settleTransfer(
  trx: Trx,
  context: Context,
  { uploader: { owner, visitor, address }, transferId, settings, fileCount }: Settlement,
): Promise<boolean> {
  const isFirst = settings !== undefined && (await applySettings(trx, transferId, { settings, fileCount }));
  if (isFirst) {
    const emails = listDecidedEmails(settings);
    await chargeMails(trx, context, { senderId: owner.id, emails, address });
  } else if (fileCount !== undefined) await announceFileCount(trx, transferId, fileCount);
  const isReady = await becomeReadyIfComplete(trx, context, transferId);
  if (isReady && visitor) await enqueueReceipt(trx, { transferId });
  return isReady;
}

async function requireExisting(trx: Trx, scope: Scope, ids: string[]): Promise<void> {
  const found = await selectOwnUploads(trx, scope, ids);
  if (found.length < ids.length) throw new AppError('upload_not_found');
}

type FileOrigin = { request: Request; transfer: TransferRow; uploadedAt: number };

function toFile(upload: UploadRow & { crc32: number }, { request, transfer, uploadedAt }: FileOrigin) {
  const { id, position, sizeBytes, crc32, storageKey, offset, modifiedAt, isExecutable } = upload;
  // Recipients may be downloading it under the announced name, and the zip with it.
  const isAnnounced = transfer.publishedAt !== null;
  return {
    id,
    transferId: transfer.id,
    position,
    sizeBytes,
    crc32,
    storageKey,
    offset,
    uploadedAt,
    announcedAt: upload.createdAt,
    modifiedAt,
    isExecutable,
    ...correctNames(upload, isAnnounced ? undefined : request.fileName),
    mimeType: (isAnnounced ? undefined : request.mimeType) ?? upload.mimeType,
    verifyAt: nextVerification(storageKey, uploadedAt),
    // Earlier downloads of the whole transfer do not count for this file.
    zipBase: transfer.zipCount,
    sinceVersion: transfer.version,
  };
}

/** A name given at completion replaces the announced one, but not its folders. */
function correctNames({ fileName, relativePath }: UploadRow, corrected: string | undefined) {
  if (corrected === undefined) return { originalName: fileName, relativePath };
  const originalName = normaliseFileName(corrected);
  if (originalName === fileName) return { originalName, relativePath };
  const folders = relativePath.slice(0, relativePath.lastIndexOf('/') + 1);
  return { originalName, relativePath: folders + originalName };
}

type JoinRequest<Upload extends UploadRow> = {
  uploader: Uploader;
  limits: TierLimits;
  transfer: TransferRow;
  uploads: Upload[];
  now: number;
};

/**
 * Moves uploads from their draft to this transfer, for clients that name the transfer only at completion. Moves their
 * reservations and packs too, and positions them after the transfer's files. The uploads' rows already name the
 * transfer; `uploads` contains their previous state. Files of an encrypted transfer cannot move, because its keys decrypt
 * no others. Throws AppError `transfer_expired`, `transfer_used_up`, `invalid_input`, `transfer_limit_exceeded`,
 * `must_be_encrypted`, or `conflict` if the draft contains anything else.
 */
async function joinTransfer<Upload extends UploadRow>(
  trx: Trx,
  { uploader, limits, transfer, uploads, now }: JoinRequest<Upload>,
): Promise<Upload[]> {
  const transferId = transfer.id;
  const joining = uploads.filter((upload) => upload.transferId !== transferId);
  if (joining.length === 0) return uploads;
  requireAcceptsFiles(transfer, now);
  await requireReadable(trx, [transferId, ...joining.map((upload) => upload.transferId)]);
  const bytes = joining.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { storagePerTransfer } = limits;
  await reserveInTransfer(trx, { owner: uploader.owner, transferId, bytes, storagePerTransfer });
  // All of them, because they are no longer open and not yet in `fileCount`.
  let position = await findRoomForFiles(trx, { transfer, files: uploads.length });
  await changeAnnouncedFiles(trx, transferId, joining.length);
  for (const draftId of new Set(joining.map((upload) => upload.transferId))) {
    if (uploader.visitor) await requireSameVisit(trx, transfer, draftId);
    await removeEmptiedDraft(trx, draftId, transferId);
  }
  const moved = new Set(joining.map(({ id }) => id));
  return uploads.map((upload) =>
    moved.has(upload.id) ? { ...upload, transferId, position: position++ } : upload,
  );
}

async function requireReadable(trx: Trx, transferIds: string[]): Promise<void> {
  const encrypted = await trx
    .selectFrom('transfers')
    .select('id')
    .where('id', 'in', [...new Set(transferIds)])
    .where('encryption', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (encrypted) throw new AppError('must_be_encrypted');
}

/** Files checked against one visit's limits must not move into another visit. */
async function requireSameVisit(trx: Trx, { userId, visitId }: TransferRow, draftId: string): Promise<void> {
  const draft = await lockOwnTransfer(trx, userId, draftId);
  if (draft.visitId !== visitId) throw new AppError('conflict');
}

async function removeEmptiedDraft(trx: Trx, draftId: string, transferId: string): Promise<void> {
  if (await hasUploads(trx, draftId)) throw new AppError('conflict');
  await movePacks(trx, draftId, transferId);
  if (!(await removeEmptyDraft(trx, draftId))) throw new AppError('conflict');
}
