import { planChunks } from '../../../../contracts/plans/limits.ts';
import type { TierLimits } from '../../../../contracts/plans/tiers.ts';
import type { NewEncryption, UploadRequest } from '../../../../contracts/transfers/uploads/uploads.ts';
import { normaliseFileName, normalisePath } from '../../../../contracts/values/names/file-names.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { InvitationRow, TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { monthOf } from '../../../platform/lib/clock.ts';
import { keyedId, randomId } from '../../../platform/lib/tokens.ts';
import { requireRoom } from '../../invitations/index.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import {
  changeAnnouncedFiles,
  claimCounts,
  createDraft,
  findManifestRevision,
  lockOrCreateDraft,
  lockOwnTransfer,
  type OpenedTransfer,
  reserveBytes,
  retryAfterRecount,
} from '../../transfers/index.ts';
import {
  requireEncryptionRules,
  requireInvitedEncryption,
  requireNewEncryption,
} from '../sealed/announced-files.ts';
import { hidePlanLimits, lockInvitation } from '../visitors/visitors.ts';
import { reserveDiskSpace } from './disk-reservations.ts';
import { allocatePlaces, preparePlaces, type SizedPlan } from './places.ts';
import { findRoomForFiles } from './positions.ts';
import { findUploadOf, insertUploads } from './queries.ts';
import { discardUpload } from './unfinished-uploads.ts';
import { requireAcceptsFiles, requireAccess, requireStillOpen, scopeOf, type Uploader } from './uploader.ts';

/** Of the owner, the group and others. */
const EXECUTE_BITS = 0o111;

export type Announcement = {
  /** A draft or, for an owner, a ready transfer. By default a new draft is created. */
  transferId?: string | null | undefined;
  /** A name chosen by the owner's client instead of an id. The first call with a name creates a draft. */
  transferName?: string | undefined;
  /** Only for a new draft. */
  encryption?: NewEncryption | null | undefined;
  files: UploadRequest[];
  /** For a single file; random by default. Repeated calls with an id return the same upload. */
  uploadId?: string | undefined;
  field?: 'files';
};

type PlannedFile = SizedPlan &
  Pick<UploadRow, 'fileName' | 'relativePath' | 'mimeType' | 'modifiedAt' | 'isExecutable'>;

/**
 * Opens an upload for each file in one transfer and reserves their bytes, all or nothing. Throws AppError
 * `wrong_total_chunks`, `invalid_input`, `transfer_not_found`, `transfer_expired`, `transfer_used_up`,
 * `count_quota_exceeded`, `transfer_limit_exceeded`, `monthly_limit_exceeded`, `storage_full`, and what
 * `requireNewEncryption`, `requireInvitedEncryption` and `requireEncryptionRules` throw. Visitors get `invitation_full`
 * instead of the limit errors, and what `requireRoom` and `lockOpenInvitation` throw.
 */
export async function announceUploads(
  context: Context,
  uploader: Uploader,
  announcement: Announcement,
): Promise<UploadRow[]> {
  const { owner } = uploader;
  const { uploadId } = announcement;
  requireNewEncryption(uploader, announcement);
  const files = planFiles(uploader, announcement);
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (!Number.isSafeInteger(bytes)) throw new AppError('invalid_input');
  const limits = limitsOf(await getTierConfig(context), owner.tier);
  const month = monthOf(context.clock.now());
  const announce = async (trx: Trx) => {
    const invitation = await lockInvitation(trx, context, uploader);
    if (invitation && !announcement.transferId)
      requireInvitedEncryption(invitation, Boolean(announcement.encryption));
    const { transfer, isNew } = await openOrCreate(trx, context, { uploader, invitation, ...announcement });
    const transferId = transfer.id;
    const repeated = uploadId && (await findUploadOf(trx, { ...scopeOf(uploader), transferId, uploadId }));
    if (repeated) return [repeated];
    requireEncryptionRules(uploader, { transfer, limits, files: announcement.files });
    if (invitation) await requireRoom(trx, describeRequest(invitation, { transfer, plan: limits, files }));
    await claimCounts(trx, { owner, files: files.length, drafts: isNew ? 1 : 0 });
    await reserveBytes(trx, { owner, limits, transferId, bytes, month });
    return insertPlannedFiles(trx, context, { uploader, transfer, month, files, uploadId });
  };
  const rows = await hidePlanLimits(uploader, () =>
    retryAfterRecount(context, owner.id, () => reserveDiskSpace(context, bytes, announce)),
  );
  await prepareOrDiscard(context, rows);
  return rows;
}

type Opening = { uploader: Uploader; invitation: InvitationRow | undefined } & Pick<
  Announcement,
  'transferId' | 'transferName' | 'encryption'
>;

async function openOrCreate(
  trx: Trx,
  { clock, secret }: Context,
  { uploader, invitation, transferId, transferName, encryption }: Opening,
): Promise<OpenedTransfer> {
  const { owner, visitor } = uploader;
  if (!transferId && transferName === undefined) {
    const arrival = visitor && { visitor, title: invitation?.title ?? null };
    return createDraft(trx, { userId: owner.id, clock, arrival, encryption });
  }
  const opened = transferId
    ? { transfer: await lockOwnTransfer(trx, owner.id, transferId), isNew: false }
    : await lockOrCreateDraft(trx, {
        id: keyedId(secret, 'named transfer', owner.id, transferName!),
        userId: owner.id,
        clock,
      });
  const { transfer } = opened;
  requireAccess(uploader, transfer);
  requireStillOpen(uploader, transfer);
  requireAcceptsFiles(transfer, clock.now());
  return opened;
}

type AnnouncedFiles = { transfer: TransferRow; plan: TierLimits; files: PlannedFile[] };

/** The files belong to the visit that created the transfer, not the current one. */
function describeRequest(invitation: InvitationRow, { transfer, plan, files }: AnnouncedFiles) {
  return {
    invitation,
    plan,
    visit: { visitId: transfer.visitId!, key: transfer.visitorKey! },
    files: files.map(({ fileName, sizeBytes }) => ({ name: fileName, sizeBytes })),
  };
}

type Insertion = { uploader: Uploader; transfer: TransferRow; month: string; files: PlannedFile[] } & Pick<
  Announcement,
  'uploadId'
>;

async function insertPlannedFiles(
  trx: Trx,
  { blobs, clock }: Context,
  { uploader, transfer, month, files, uploadId }: Insertion,
): Promise<UploadRow[]> {
  const transferId = transfer.id;
  const firstPosition = await findRoomForFiles(trx, { transfer, files: files.length });
  const places = await allocatePlaces(trx, { transferId, plans: files, packs: blobs.packsSmallFiles });
  const isLinkKnown = transfer.status !== 'draft' || transfer.publishedAt !== null;
  const isSealedAddition = transfer.encryption !== null && isLinkKnown;
  const manifestRevision = isSealedAddition ? await findManifestRevision(trx, transferId) : null;
  const now = clock.now();
  const rows = files.map(
    ({ fileName, relativePath, mimeType, modifiedAt, isExecutable }, index): UploadRow => ({
      ...places[index]!,
      id: uploadId ?? randomId(),
      ...scopeOf(uploader),
      transferId,
      state: 'open',
      fileName,
      relativePath,
      mimeType,
      modifiedAt,
      isExecutable,
      position: firstPosition + index,
      usageMonth: month,
      createdAt: now,
      lastActivityAt: now,
      receivedBytes: 0,
      repairsFileId: null,
      manifestRevision,
    }),
  );
  await insertUploads(trx, rows);
  await changeAnnouncedFiles(trx, transferId, rows.length);
  return rows;
}

export async function prepareOrDiscard(context: Context, rows: UploadRow[]): Promise<void> {
  try {
    await preparePlaces(context.blobs, rows);
  } catch (error) {
    for (const row of rows) await discardUpload(context, row, { cause: 'refused' }).catch(() => undefined);
    throw error;
  }
}

function planFiles({ visitor }: Uploader, { files, field }: Announcement): PlannedFile[] {
  const planned = files.map((file, index) => planFile(file, field ? `${field}.${index}.` : ''));
  // Invitations check names, so a visitor's file has only one.
  return visitor ? planned.map((file) => ({ ...file, fileName: lastSegment(file.relativePath) })) : planned;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function planFile(file: UploadRequest, field: string): PlannedFile {
  const { chunkSize, totalChunks } = planChunks(file.fileSize);
  // Clients that cannot send zero chunks announce one for an empty file.
  const isRight = file.totalChunks === totalChunks || (file.fileSize === 0 && file.totalChunks === 1);
  if (!isRight) throw new AppError('wrong_total_chunks', { details: { expected: totalChunks, chunkSize } });
  const fileName = normaliseFileName(file.fileName);
  const relativePath = file.relativePath ? normalisePath(file.relativePath) : fileName;
  if (relativePath === undefined) {
    const message = 'This path is too deep or too long.';
    throw new AppError('invalid_input', { message, errors: { [`${field}relativePath`]: message } });
  }
  return {
    sizeBytes: file.fileSize,
    chunkSize,
    totalChunks,
    fileName,
    relativePath,
    mimeType: file.mimeType ?? 'application/octet-stream',
    modifiedAt: file.modifiedAt ? Date.parse(file.modifiedAt) : null,
    isExecutable: ((file.mode ?? 0) & EXECUTE_BITS) === 0 ? 0 : 1,
  };
}
