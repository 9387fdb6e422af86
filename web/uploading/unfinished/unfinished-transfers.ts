import { t } from '@lingui/core/macro';
import { chunkLength } from '../../../contracts/plans/limits.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { UnfinishedUpload } from '../../../contracts/transfers/uploads/uploads.ts';
import { fingerprint, hasArrived, hashFingerprint, type LocalUpload } from '../engine/upload-item.ts';
import type { UploadTransport } from '../engine/upload-transport.ts';
import type { PickedFile } from '../files/picked-files.ts';
import { forgetDraft } from './forget-draft.ts';
import { findRecord, keepOnlyRecords, type ResumeRecord, type UploadScope } from './resume-records.ts';
import { listLockedTransfers } from './transfer-lock.ts';

/** A transfer that an earlier visit, another tab or another device began. */
export type UnfinishedTransfer = {
  transferId: string;
  title: string;
  /** The ready transfer that the files are added to. */
  addsTo: UnfinishedUpload['addsTo'];
  uploads: LocalUpload[];
  isEncrypted: boolean;
  /** It is encrypted, and this browser knows nothing about its files, so it can only be discarded here. */
  isUnreadable: boolean;
  /** Announced encrypted just before the last visit ended: which files they were is unknown. */
  lost: LocalUpload[];
  /** Bytes of the unfinished files, and those of them on the server. */
  totalBytes: number;
  receivedBytes: number;
  /** Every byte is on the server, so it can be finished without the files. */
  hasArrived: boolean;
  /** ISO instant of the last chunk. */
  lastActivityAt: string;
  /** What this device stored about it. */
  record: ResumeRecord | undefined;
  /** Another window of this browser is sending it. */
  isElsewhere: boolean;
};

/** What the server and this device know of unfinished transfers, the most recent first. Throws ApiError. */
export async function loadUnfinished(
  transport: UploadTransport,
  scope: UploadScope,
): Promise<UnfinishedTransfer[]> {
  const requestedAt = Date.now();
  const [uploads, sentElsewhere] = await Promise.all([transport.listUnfinished(), listLockedTransfers()]);
  const transferIds = new Set(uploads.map(({ transferId }) => transferId));
  void keepOnlyRecords({ scope, transferIds, requestedAt }).then((gone) => forgetVisits(scope, gone));
  const records = new Map<string, ResumeRecord>();
  for (const record of await Promise.all([...transferIds].map(findRecord)))
    if (record) records.set(record.transferId, record);
  return groupUnfinished(await readEncrypted(uploads), { records, sentElsewhere });
}

/**
 * Visitors need nothing of a transfer that the server no longer has as a draft. Of signed-in users, it may have become
 * ready, and its key is theirs: see `settleDraftKeys`.
 */
async function forgetVisits(scope: UploadScope, transferIds: readonly string[]): Promise<void> {
  if (scope !== '') for (const transferId of transferIds) await forgetDraft(transferId);
}

async function readEncrypted(uploads: UnfinishedUpload[]): Promise<LocalUpload[]> {
  if (uploads.every(({ encryption }) => encryption === null)) return uploads;
  const { readEncryptedUploads } = await import('../encryption/encrypted-uploads.ts');
  return readEncryptedUploads(uploads);
}

/**
 * Deletes an unfinished transfer on the server. Of a ready transfer only the files that were being added are deleted.
 * Throws ApiError.
 */
export async function discardUnfinished(
  transport: UploadTransport,
  { transferId, addsTo, uploads }: UnfinishedTransfer,
): Promise<void> {
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  await (addsTo ? transport.abort(uploadIds) : transport.discard(transferId, uploadIds));
}

type DeviceState = { records: Map<string, ResumeRecord>; sentElsewhere: Set<string> };

/** Groups unfinished uploads by transfer, the most recent first. */
export function groupUnfinished(
  uploads: LocalUpload[],
  { records, sentElsewhere }: DeviceState,
): UnfinishedTransfer[] {
  const groups = [...Map.groupBy(uploads, ({ transferId }) => transferId)];
  return groups
    .map(([transferId, all]) => {
      const record = records.get(transferId);
      const readable = all.filter(({ isUnknown }) => !isUnknown);
      const isUnreadable = readable.length === 0;
      const group = isUnreadable ? all : readable;
      return {
        transferId,
        addsTo: group[0]!.addsTo,
        title: nameUnfinished(group, record),
        uploads: group,
        isEncrypted: group.some(({ encryption }) => encryption !== null),
        isUnreadable,
        lost: isUnreadable ? [] : all.filter(({ isUnknown }) => isUnknown),
        totalBytes: group.reduce((sum, { fileSize }) => sum + fileSize, 0),
        receivedBytes: group.reduce((sum, upload) => sum + receivedBytes(upload), 0),
        hasArrived: group.every(hasArrived) && !isPartlyAnnounced(group, record),
        lastActivityAt: group.reduce((last, upload) => maxText(last, upload.lastActivityAt), ''),
        record,
        isElsewhere: sentElsewhere.has(transferId),
      };
    })
    .sort((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt));
}

function nameUnfinished(uploads: LocalUpload[], record: ResumeRecord | undefined): string {
  const [first] = uploads;
  const title = String(record?.settings.title ?? '');
  if (!title && (first?.isUnknown || first?.isNameless)) return t`Encrypted upload`;
  return nameTransfer({
    title,
    firstFileName: first!.fileName,
    fileCount: record?.fileCount ?? uploads.length,
  });
}

/** The unfinished transfer that most of these files belong to, if any. */
export function findContinuation(
  files: PickedFile[],
  transfers: UnfinishedTransfer[],
): UnfinishedTransfer | undefined {
  const prints = new Set(files.flatMap(printsOf));
  const scored = transfers
    .filter(({ isElsewhere, isUnreadable }) => !isElsewhere && !isUnreadable)
    .map((transfer) => ({
      transfer,
      matches: transfer.uploads.filter((upload) => prints.has(uploadPrint(upload))).length,
    }));
  return scored.sort((one, other) => other.matches - one.matches).find(({ matches }) => matches > 0)
    ?.transfer;
}

/**
 * The files to send when a transfer continues. Selecting a whole folder again does not add files that are completed or
 * were removed from the list. If nothing is completed and the folder has as many files as the transfer, the rest had
 * not been announced yet and is sent.
 */
export function selectForContinuation(
  files: PickedFile[],
  transfer: UnfinishedTransfer,
  { mayAdd }: { mayAdd: boolean },
): PickedFile[] {
  const { record } = transfer;
  const isWhole = files.length === record?.fileCount;
  if ((record?.completedFiles ?? 0) === 0 && (mayAdd || isWhole)) return files;
  const prints = new Set(transfer.uploads.map(uploadPrint));
  return files.filter((file) => printsOf(file).some((print) => prints.has(print)));
}

/** Names that were removed when the sender signed out are recognized by their checksum. */
function printsOf({ file, relativePath }: PickedFile): string[] {
  const print = fingerprint({ relativePath, size: file.size });
  return [print, hashFingerprint(print)];
}

function uploadPrint({ relativePath, fileSize }: LocalUpload): string {
  return fingerprint({ relativePath, size: fileSize });
}

function receivedBytes({ fileSize, chunkSize, receivedChunks }: LocalUpload): number {
  return receivedChunks.reduce((sum, index) => sum + chunkLength(fileSize, chunkSize, index), 0);
}

/** Long lists are announced in batches, and the visit may have ended before the last one. */
function isPartlyAnnounced(uploads: LocalUpload[], record: ResumeRecord | undefined): boolean {
  return record !== undefined && uploads.length + record.completedFiles < record.fileCount;
}

function maxText(one: string, other: string): string {
  return one > other ? one : other;
}
