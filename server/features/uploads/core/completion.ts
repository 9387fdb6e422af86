import type { TextSettings } from '../../../../contracts/transfers/settings/text-settings.ts';
import type { TransferSettings } from '../../../../contracts/transfers/transfers.ts';
import type { CompletedUpload } from '../../../../contracts/transfers/uploads/uploads.ts';
import { normaliseFileName } from '../../../../contracts/values/names/file-names.ts';
import type { Context } from '../../../context.ts';
import type { TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import type { BlobStore } from '../../../platform/storage/blob-store.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import {
  decideSettings,
  findOwnTransfer,
  requireIncludedSettings,
  requireSealedSettings,
} from '../../transfers/index.ts';
import { lockUploads } from '../chunks/shared-gate.ts';
import { gateKey } from '../chunks/upload-gate.ts';
import { requireSealedNames } from '../sealed/announced-files.ts';
import { decideVisitorSettings, hidePlanLimits } from '../visitors/visitors.ts';
import type { Announcement } from './announcements.ts';
import { commitCompletion } from './commit-completion.ts';
import { placeOf } from './places.ts';
import { presentCompletion } from './presenter.ts';
import { findToken, selectOwnUploads } from './queries.ts';
import { discardUpload } from './unfinished-uploads.ts';
import { requireAccess, scopeOf, type Uploader } from './uploader.ts';

type CompletionRequest = {
  uploadIds: string[];
  /** By default, each upload's own transfer. */
  transferId: string | undefined;
  fileCount: number | undefined;
  settings: TransferSettings;
  /** Replaces the password in the settings if only its hash was stored. */
  passwordHash?: string | undefined;
  fileName?: string | undefined;
  mimeType?: string | undefined;
};

/**
 * Turns uploads into files of their transfer. The first completion of a draft decides its settings. Idempotent, and
 * durable when it resolves. Throws AppError `upload_not_found`, `transfer_not_found`, `chunks_missing`,
 * `must_be_encrypted`, `manifest_missing`, `sealed_key_missing`, `transfer_limit_exceeded`, `conflict`, for files that
 * join another transfer also `transfer_expired`, `transfer_used_up` and `invalid_input`, and what `chargeMails`,
 * `decideSettings` and `repairFiles` throw; to visitors also `not_allowed`, `invitation_full`, and what
 * `lockOpenInvitation` throws. Visitors do not get the share token.
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
  if (open.length === 0) return presentAgain(context, uploader, uploads[0]!.transferId);
  const { passwordHash } = request;
  requireIncludedSettings(owner, { ...request.settings, ...(passwordHash && { password: passwordHash }) });
  const transfer = await findOwnTransfer(db, owner.id, request.transferId ?? open[0]!.transferId);
  requireAccess(uploader, transfer);
  requireSealedSettings(transfer, { ...request.settings, ...(passwordHash && { password: passwordHash }) });
  requireSealedNames(transfer, request, open);
  const requested = decideRequestedSettings(uploader, { request, open, transfer });
  const decided = isUndecided(transfer) ? await decideSettings(context, owner, requested) : undefined;
  const settings = decided && { ...decided, ...(passwordHash && { passwordHash }) };
  const limits = limitsOf(await getTierConfig(context), owner.tier);
  const commit = { uploader, limits, request, settings, open, transfer };
  const answer = await sealUploads(context, open, (checksums) =>
    hidePlanLimits(uploader, () =>
      transaction(db, (trx) => commitCompletion(trx, context, { ...commit, checksums })),
    ),
  ).catch((error) => discardWrongRepairs(context, open, error));
  return answer;
}

/** Discards uploads that differ from the damaged file, so that the correct file can be sent. */
async function discardWrongRepairs(context: Context, open: UploadRow[], error: unknown): Promise<never> {
  if (isAppError(error, 'repair_differs') || isAppError(error, 'file_not_damaged'))
    for (const upload of open)
      if (upload.repairsFileId !== null) await discardUpload(context, upload, { cause: 'refused' });
  throw error;
}

type RequestedSettings = { request: CompletionRequest; open: UploadRow[]; transfer: TransferRow };

/** A visitor's file keeps the name that was checked against the invitation. */
function decideRequestedSettings(
  { visitor }: Uploader,
  { request, open, transfer }: RequestedSettings,
): TransferSettings {
  const { settings, fileName } = request;
  if (!visitor) return settings;
  if (fileName !== undefined && normaliseFileName(fileName) !== open[0]!.fileName)
    throw new AppError('not_allowed');
  return decideVisitorSettings(settings, transfer);
}

async function presentAgain(
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

function inOrder(ids: string[], uploads: UploadRow[]): UploadRow[] {
  const byId = new Map(uploads.map((upload) => [upload.id, upload]));
  return ids.map((id) => byId.get(id)!);
}

const MISSING_NAMED = 1_000;

/**
 * Makes the bytes of complete uploads durable and runs `commit` with their CRC-32 while their chunks are locked.
 * Throws AppError `chunks_missing` (details: count, missing, uploadId) without aborting chunks that are being
 * received.
 */
async function sealUploads<T>(
  context: Pick<Context, 'blobs' | 'leases'>,
  uploads: UploadRow[],
  commit: (checksums: number[]) => Promise<T>,
): Promise<T> {
  const { blobs } = context;
  const lock = await lockUploads(context, uploads.map(gateKey));
  try {
    const busy = new Set(lock.busy);
    for (const upload of uploads) if (busy.has(gateKey(upload))) await requireAllChunks(blobs, upload);
    // All chunks are stored, so anything still arriving is a late repetition.
    await lock.stopWriters();
    return await commit(await seal(blobs, uploads));
  } finally {
    await lock.release();
  }
}

async function seal(blobs: BlobStore, uploads: UploadRow[]): Promise<number[]> {
  try {
    const sealed = await blobs.seal(uploads.map(placeOf));
    return sealed.map(({ crc32 }) => crc32);
  } catch (error) {
    if (!isAppError(error, 'chunks_missing')) throw error;
    const { missing, position } = error.details as { missing: number[]; position: number };
    throw chunksMissing(uploads[position]!, missing);
  }
}

async function requireAllChunks(blobs: BlobStore, upload: UploadRow): Promise<void> {
  const received = new Set((await blobs.listChunks(placeOf(upload))).map(({ index }) => index));
  const indexes = Array.from({ length: upload.chunkCount }, (_, index) => index);
  const missing = indexes.filter((index) => !received.has(index));
  if (missing.length > 0) throw chunksMissing(upload, missing);
}

function chunksMissing({ id }: UploadRow, missing: number[]): AppError {
  return new AppError('chunks_missing', {
    details: { count: missing.length, missing: missing.slice(0, MISSING_NAMED), uploadId: id },
  });
}

export type CompletionSettings = Pick<CompletionRequest, 'fileCount' | 'settings' | 'passwordHash'>;

export type SplitSettings = {
  target: Pick<Announcement, 'transferId' | 'transferName'>;
  requested: CompletionSettings;
};

/**
 * Refuses before the upload what completion would refuse. Throws what `decideSettings` and `requireSealedSettings`
 * throw.
 */
export async function splitTextSettings(
  context: Pick<Context, 'db' | 'clock'>,
  { owner }: Uploader,
  texts: TextSettings,
): Promise<SplitSettings> {
  const { transferId, transfer: transferName, fileCount, ...wanted } = texts;
  if (transferId) requireSealedSettings(await findOwnTransfer(context.db, owner.id, transferId), wanted);
  const { passwordHash } = await decideSettings(context, owner, wanted);
  const { password: _, ...settings } = wanted;
  return {
    target: { transferId, transferName },
    requested: { fileCount, settings, passwordHash: passwordHash ?? undefined },
  };
}
