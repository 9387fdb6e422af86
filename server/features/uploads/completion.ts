import { normaliseFileName } from '../../../contracts/names.ts';
import type { TierLimits } from '../../../contracts/tiers.ts';
import type { TransferSettings } from '../../../contracts/transfers.ts';
import type { CompletedUpload } from '../../../contracts/uploads.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { TransferRow, UploadRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { enqueueCheck } from '../checksums/checking.ts';
import { enqueueLook } from '../previews/looking.ts';
import { getTierConfig, limitsOf } from '../tiers/tiers.ts';
import {
  addFilesToTransfer,
  announceFileCount,
  becomeReadyIfComplete,
  findOwnTransfer,
  holdOwnTransfer,
} from '../transfers/drafts.ts';
import { chargeMails } from '../transfers/mail-quota.ts';
import {
  applySettings,
  type DecidedSettings,
  decideSettings,
  listDecidedEmails,
  requireIncludedSettings,
} from '../transfers/settings.ts';
import { joinTransfer } from './joining.ts';
import { closeUploads, findToken, insertFiles, selectOwnUploads } from './queries.ts';
import { sealUploads } from './sealing.ts';

type Owner = Pick<UserRow, 'id' | 'tier'>;

export type CompletionRequest = {
  uploadIds: string[];
  /** Where the files go; each upload's own transfer without it. */
  transferId: string | undefined;
  /** Files the transfer is to have before it is ready. */
  fileCount: number | undefined;
  settings: TransferSettings;
  /** What the file is called after all. */
  fileName?: string | undefined;
  mimeType?: string | undefined;
};

/**
 * Makes uploads files of their transfer; the first of a draft decides its settings (decisions, "Uploads").
 * Durable when it resolves. A repetition changes nothing and answers the same. Throws AppError
 * `upload_not_found`, `transfer_not_found`, `chunks_missing`, `transfer_limit_exceeded`, `conflict`,
 * `daily_mails_exceeded`, and what `decideSettings` throws.
 */
export async function completeUploads(
  context: Context,
  owner: Owner,
  request: CompletionRequest,
): Promise<CompletedUpload> {
  const { db } = context;
  const ids = [...new Set(request.uploadIds)];
  const uploads = await selectOwnUploads(db, owner.id, ids);
  if (uploads.length < ids.length) throw new AppError('upload_not_found');
  const open = inOrder(ids, uploads).filter((upload) => upload.state === 'open');
  if (open.length === 0) return answerAgain(context, uploads[0]!.transferId);
  requireIncludedSettings(owner, request.settings);
  const transfer = await findOwnTransfer(db, owner.id, request.transferId ?? open[0]!.transferId);
  const settings = isUndecided(transfer) ? await decideSettings(context, owner, request.settings) : undefined;
  const limits = limitsOf(await getTierConfig(context), owner.tier);
  const answer = await sealUploads(context, open, (checksums) =>
    transaction(db, (trx) =>
      commitCompletion(trx, context, { owner, limits, request, settings, open, checksums, transfer }),
    ),
  );
  context.wakeWorker();
  return answer;
}

type Commit = {
  owner: Owner;
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
  { owner, limits, request, settings, open, checksums, transfer: { id: transferId } }: Commit,
): Promise<CompletedUpload> {
  const now = context.clock.now();
  const transfer = await holdOwnTransfer(trx, owner.id, transferId);
  const ids = open.map(({ id }) => id);
  const closed = await closeUploads(trx, { userId: owner.id, transferId, ids, now });
  if (closed.size < ids.length) await requireStillThere(trx, owner.id, ids);
  const answer = { token: transfer.token, transfer: { id: transferId } };
  if (closed.size === 0) return answer;

  const mine = open
    .map((upload, index) => ({ ...upload, crc32: checksums[index]! }))
    .filter(({ id }) => closed.has(id));
  const placed = await joinTransfer(trx, { owner, limits, transferId, uploads: mine });
  await insertFiles(
    trx,
    placed.map((upload) => toFile(upload, { request, transfer, uploadedAt: now })),
  );
  await addFilesToTransfer(trx, {
    owner,
    transferId,
    files: placed.length,
    bytes: placed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    storagePerTransfer: limits.storagePerTransfer,
  });
  const settlement = { owner, transferId, settings, fileCount: request.fileCount };
  const isReady = (await settleTransfer(trx, context, settlement)) || transfer.status === 'ready';
  if (isReady) {
    await enqueueCheck(trx, transferId);
    await enqueueLook(trx, { owner, transferId });
  }
  return answer;
}

type Settlement = {
  owner: Owner;
  transferId: string;
  settings: DecidedSettings | undefined;
  fileCount: number | undefined;
};

/** The first complete decides; later ones may still correct how many files are to come. Whether it got ready. */
async function settleTransfer(
  trx: Trx,
  context: Context,
  { owner, transferId, settings, fileCount }: Settlement,
): Promise<boolean> {
  const isFirst = settings !== undefined && (await applySettings(trx, transferId, { settings, fileCount }));
  if (isFirst) await chargeMails(trx, context, { senderId: owner.id, emails: listDecidedEmails(settings) });
  else if (fileCount !== undefined) await announceFileCount(trx, transferId, fileCount);
  return becomeReadyIfComplete(trx, context, transferId);
}

/** What was not open any more was completed by a parallel call, unless it is gone. */
async function requireStillThere(trx: Trx, userId: string, ids: string[]): Promise<void> {
  const found = await selectOwnUploads(trx, userId, ids);
  if (found.length < ids.length) throw new AppError('upload_not_found');
}

async function answerAgain({ db }: Context, transferId: string): Promise<CompletedUpload> {
  const token = await findToken(db, transferId);
  if (token === undefined) throw new AppError('transfer_not_found');
  return { token, transfer: { id: transferId } };
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
