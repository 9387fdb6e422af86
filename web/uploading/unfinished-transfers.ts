import { chunkLength } from '../../contracts/plans/limits.ts';
import type { UnfinishedUpload } from '../../contracts/transfers/uploads.ts';
import { hasArrived } from './adoption.ts';
import type { PickedFile } from './picked-files.ts';
import type { ResumeRecord } from './resume-records.ts';
import { fingerprint } from './upload-item.ts';

/** A transfer that an earlier visit, another tab or another device began. */
export type UnfinishedTransfer = {
  transferId: string;
  title: string;
  /** The ready transfer that the files are to join. */
  addsTo: UnfinishedUpload['addsTo'];
  uploads: UnfinishedUpload[];
  /** Bytes of the unfinished files, and those of them on the server. */
  totalBytes: number;
  receivedBytes: number;
  /** Every byte is on the server, so it can be finished without the files. */
  hasArrived: boolean;
  /** ISO instant of the last chunk. */
  lastActivityAt: string;
  /** What this device remembers of it. */
  record: ResumeRecord | undefined;
  /** Another window of this browser is sending it right now. */
  isElsewhere: boolean;
};

type Knowledge = { records: Map<string, ResumeRecord>; heldElsewhere: Set<string> };

/** The unfinished uploads by transfer, the most recent first. */
export function groupUnfinished(
  uploads: UnfinishedUpload[],
  { records, heldElsewhere }: Knowledge,
): UnfinishedTransfer[] {
  const groups = [...Map.groupBy(uploads, ({ transferId }) => transferId)];
  return groups
    .map(([transferId, group]) => {
      const record = records.get(transferId);
      return {
        transferId,
        addsTo: group[0]!.addsTo,
        title: String(record?.settings.title ?? '') || nameAfterFiles(group),
        uploads: group,
        totalBytes: group.reduce((sum, { fileSize }) => sum + fileSize, 0),
        receivedBytes: group.reduce((sum, upload) => sum + receivedBytes(upload), 0),
        hasArrived: group.every(hasArrived) && !isPartlyAnnounced(group, record),
        lastActivityAt: group.reduce((last, upload) => maxText(last, upload.lastActivityAt), ''),
        record,
        isElsewhere: heldElsewhere.has(transferId),
      };
    })
    .sort((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt));
}

/** The unfinished transfer that most of these files belong to, if any. */
export function findContinuation(
  files: PickedFile[],
  transfers: UnfinishedTransfer[],
): UnfinishedTransfer | undefined {
  const prints = new Set(
    files.map(({ file, relativePath }) => fingerprint({ relativePath, size: file.size })),
  );
  const scored = transfers
    .filter(({ isElsewhere }) => !isElsewhere)
    .map((transfer) => ({
      transfer,
      matches: transfer.uploads.filter((upload) => prints.has(uploadPrint(upload))).length,
    }));
  return scored.sort((one, other) => other.matches - one.matches).find(({ matches }) => matches > 0)
    ?.transfer;
}

/**
 * Which of the files go into the transfer they continue. Somebody who gives a whole folder again does not mean
 * to add what is through already or what was taken off the list; but if nothing is through and the folder has as
 * many files as the transfer was to have, then some were not announced yet.
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
  return files.filter(({ file, relativePath }) => prints.has(fingerprint({ relativePath, size: file.size })));
}

function uploadPrint({ relativePath, fileSize }: UnfinishedUpload): string {
  return fingerprint({ relativePath, size: fileSize });
}

function receivedBytes({ fileSize, chunkSize, receivedChunks }: UnfinishedUpload): number {
  return receivedChunks.reduce((sum, index) => sum + chunkLength(fileSize, chunkSize, index), 0);
}

/** Long lists are announced in batches: the visit ended before the last one. */
function isPartlyAnnounced(uploads: UnfinishedUpload[], record: ResumeRecord | undefined): boolean {
  return record !== undefined && uploads.length + record.completedFiles < record.fileCount;
}

/** The folder all files lie in, else the first file. */
function nameAfterFiles(uploads: UnfinishedUpload[]): string {
  const folders = new Set(uploads.map(({ relativePath }) => relativePath.split('/').slice(0, -1)[0]));
  const [folder] = folders;
  return (folders.size === 1 && folder) || uploads[0]!.fileName;
}

function maxText(one: string, other: string): string {
  return one > other ? one : other;
}
