import type { TierLimits } from '../../../contracts/plans/tiers.ts';
import type { TransferSettings } from '../../../contracts/transfers/transfers.ts';
import type { CompletedUpload } from '../../../contracts/transfers/uploads.ts';
import { normaliseFileName } from '../../../contracts/values/file-names.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { TransferRow, UploadRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { SECOND_MS } from '../../platform/lib/clock.ts';
import { enqueueCheck, nextVerification } from '../checksums/index.ts';
import { enqueueReceipt } from '../invitations/index.ts';
import { enqueueFileDetection } from '../previews/index.ts';
import { enqueueScan, holdNewFiles } from '../scanning/index.ts';
import { getTierConfig, limitsOf } from '../tiers/index.ts';
import {
  addFilesToTransfer,
  announceFileCount,
  applySettings,
  becomeReadyIfComplete,
  chargeMails,
  type DecidedSettings,
  decideSettings,
  enqueueZipMeasure,
  findOwnTransfer,
  holdOwnTransfer,
  listDecidedEmails,
  requireIncludedSettings,
} from '../transfers/index.ts';
import { decideVisitorWishes, hidePlan, holdInvitation } from './invited.ts';
import { joinTransfer } from './joining.ts';
import { presentCompletion } from './presenter.ts';
import { closeUploads, findToken, insertFiles, selectOwnUploads } from './queries.ts';
import { repairFiles } from './repairs.ts';
import { sealUploads } from './sealing.ts';
import { discardUpload } from './unfinished.ts';
import { requireReach, requireStillOpen, type Scope, scopeOf, type Uploader } from './uploader.ts';

/** The scanner reads all bytes, too: what it has read by then needs no other reading for its checksum. */
const SCAN_FIRST_MS = 30 * SECOND_MS;

export type CompletionRequest = {
  uploadIds: string[];
  /** Where the files go; each upload's own transfer without it. */
  transferId: string | undefined;
  /** Files the transfer is to have before it is ready. */
  fileCount: number | undefined;
  settings: TransferSettings;
  /** In place of a password in the settings, where only its hash was kept until now. */
  passwordHash?: string | undefined;
  /** What the file is called after all. */
  fileName?: string | undefined;
  mimeType?: string | undefined;
};

/**
 * Makes uploads files of their transfer; the first of a draft decides its settings (decisions, "Uploads").
 * Durable when it resolves. A repetition changes nothing and answers the same. Throws AppError
 * `upload_not_found`, `transfer_not_found`, `chunks_missing`, `transfer_limit_exceeded`, `conflict`, and what
 * `chargeMails`, `decideSettings` and `repairFiles` throw; to a visitor also `not_allowed`, `invitation_full`, and
 * what `holdOpenInvitation` throws. A visitor is not told the share token.
 */
export async function completeUploads(
  context: Context,
  uploader: Uploader,
  request: CompletionRequest,
): Promise<CompletedUpload> {
  const { db } = context;
  const { owner } = uploader;
  const ids = [...new Set(request.uploadIds)];
  const uploads = await selectOwnUploads(db, scopeOf(uploader), ids);
  if (uploads.length < ids.length) throw new AppError('upload_not_found');
  const open = inOrder(ids, uploads).filter((upload) => upload.state === 'open');
  if (open.length === 0) return answerAgain(context, uploader, uploads[0]!.transferId);
  const { passwordHash } = request;
  requireIncludedSettings(owner, { ...request.settings, ...(passwordHash && { password: passwordHash }) });
  const transfer = await findOwnTransfer(db, owner.id, request.transferId ?? open[0]!.transferId);
  requireReach(uploader, transfer);
  const wishes = decideWishes(uploader, { request, open, transfer });
  const decided = isUndecided(transfer) ? await decideSettings(context, owner, wishes) : undefined;
  const settings = decided && { ...decided, ...(passwordHash && { passwordHash }) };
  const limits = limitsOf(await getTierConfig(context), owner.tier);
  const commit = { uploader, limits, request, settings, open, transfer };
  const answer = await sealUploads(context, open, (checksums) =>
    hidePlan(uploader, () =>
      transaction(db, (trx) => commitCompletion(trx, context, { ...commit, checksums })),
    ),
  ).catch((error) => discardWrongRepairs(context, open, error));
  return answer;
}

/** Bytes that are not those of the damaged file are of no use: sending starts anew, with the right file. */
async function discardWrongRepairs(context: Context, open: UploadRow[], error: unknown): Promise<never> {
  if (isAppError(error, 'repair_differs') || isAppError(error, 'file_not_damaged'))
    for (const upload of open)
      if (upload.repairsFileId !== null) await discardUpload(context, upload, { cause: 'refused' });
  throw error;
}

type Wishing = { request: CompletionRequest; open: UploadRow[]; transfer: TransferRow };

/** A visitor's file keeps the name by which the invitation judged it. */
function decideWishes({ visitor }: Uploader, { request, open, transfer }: Wishing): TransferSettings {
  const { settings, fileName } = request;
  if (!visitor) return settings;
  if (fileName !== undefined && normaliseFileName(fileName) !== open[0]!.fileName)
    throw new AppError('not_allowed');
  return decideVisitorWishes(settings, transfer);
}

type Commit = {
  uploader: Uploader;
  limits: TierLimits;
  request: CompletionRequest;
  settings: DecidedSettings | undefined;
  open: UploadRow[];
  /** The CRC-32 of each open upload, in their order. */
  checksums: number[];
  transfer: Pick<TransferRow, 'id'>;
};

async function commitCompletion(
  trx: Trx,
  context: Context,
  { uploader, limits, request, settings, open, checksums, transfer: { id: transferId } }: Commit,
): Promise<CompletedUpload> {
  const now = context.clock.now();
  const { owner } = uploader;
  const scope = scopeOf(uploader);
  await holdInvitation(trx, context, uploader);
  const transfer = await holdOwnTransfer(trx, owner.id, transferId);
  const ids = open.map(({ id }) => id);
  const closed = await closeUploads(trx, { scope, transferId, ids, now });
  if (closed.size < ids.length) await requireStillThere(trx, scope, ids);
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
  const placed = await joinTransfer(trx, { uploader, limits, transfer, uploads: mine });
  await insertFiles(
    trx,
    placed.map((upload) => toFile(upload, { request, transfer, uploadedAt: now })),
  );
  const hasHeldFiles = await holdNewFiles(trx, context, {
    transferId,
    userId: owner.id,
    files: placed,
  });
  // Not only once the transfer is ready: the more of it is scanned by then, the less its recipients wait.
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
  if (isReady) {
    const isHeld = hasHeldFiles || transfer.scanState !== null;
    await enqueueCheck(trx, transferId, isHeld ? now + SCAN_FIRST_MS : 0);
    await enqueueFileDetection(trx, { owner, transferId });
    const fileCount = transfer.fileCount + placed.length;
    const isAddition = transfer.status === 'ready';
    await enqueueZipMeasure(trx, { transferId, fileCount, isAddition }, now);
  }
  return answer;
}

type Settlement = {
  uploader: Uploader;
  transferId: string;
  settings: DecidedSettings | undefined;
  fileCount: number | undefined;
};

/** The first complete decides; later ones may still correct how many files are to come. Whether it got ready. */
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

/** What was not open any more was completed by a parallel call, unless it is gone. */
async function requireStillThere(trx: Trx, scope: Scope, ids: string[]): Promise<void> {
  const found = await selectOwnUploads(trx, scope, ids);
  if (found.length < ids.length) throw new AppError('upload_not_found');
}

async function answerAgain(
  { db }: Context,
  uploader: Uploader,
  transferId: string,
): Promise<CompletedUpload> {
  const token = await findToken(db, transferId);
  if (token === undefined) throw new AppError('transfer_not_found');
  return presentCompletion(uploader, { id: transferId, token });
}

function isUndecided({ status, expectedFiles }: TransferRow): boolean {
  return status === 'draft' && expectedFiles === null;
}

type FileOrigin = { request: CompletionRequest; transfer: TransferRow; uploadedAt: number };

function toFile(upload: UploadRow & { crc32: number }, { request, transfer, uploadedAt }: FileOrigin) {
  const { id, position, sizeBytes, crc32, storageKey, offset } = upload;
  return {
    id,
    transferId: transfer.id,
    position,
    sizeBytes,
    crc32,
    storageKey,
    offset,
    uploadedAt,
    ...correctNames(upload, request.fileName),
    mimeType: request.mimeType ?? upload.mimeType,
    verifyAt: nextVerification(storageKey, uploadedAt),
    // Whole-transfer downloads of before do not count for this file.
    zipBase: transfer.zipCount,
  };
}

/** A name given at completion replaces the announced one; the folders stay. */
function correctNames({ fileName, relativePath }: UploadRow, corrected: string | undefined) {
  if (corrected === undefined) return { originalName: fileName, relativePath };
  const originalName = normaliseFileName(corrected);
  if (originalName === fileName) return { originalName, relativePath };
  const folders = relativePath.slice(0, relativePath.lastIndexOf('/') + 1);
  return { originalName, relativePath: folders + originalName };
}

function inOrder(ids: string[], uploads: UploadRow[]): UploadRow[] {
  const byId = new Map(uploads.map((upload) => [upload.id, upload]));
  return ids.map((id) => byId.get(id)!);
}
