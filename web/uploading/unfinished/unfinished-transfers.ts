import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import { chunkLength } from '../../../contracts/limits.ts';
import type { UnfinishedUpload } from '../../../contracts/uploads.ts';
import { fingerprint, hasArrived } from '../engine/upload-item.ts';
import type { UploadTransport } from '../engine/upload-transport.ts';
import type { PickedFile } from '../files/picked-files.ts';
import {
  findRecord,
  keepOnlyRecords,
  type ResumeRecord,
  removeRecord,
  type UploadScope,
} from './resume-records.ts';
import { listHeldTransfers, waitUntilReleased } from './transfer-lock.ts';

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

const NONE: UnfinishedTransfer[] = [];

async function loadUnfinished(transport: UploadTransport, scope: UploadScope): Promise<UnfinishedTransfer[]> {
  const askedAt = Date.now();
  const [uploads, heldElsewhere] = await Promise.all([transport.listUnfinished(), listHeldTransfers()]);
  const transferIds = new Set(uploads.map(({ transferId }) => transferId));
  void keepOnlyRecords({ scope, transferIds, askedAt });
  const records = await Promise.all([...transferIds].map(findRecord));
  return groupUnfinished(uploads, {
    records: new Map(records.filter((each) => each !== undefined).map(toEntry)),
    heldElsewhere,
  });
}

function toEntry(record: ResumeRecord): [string, ResumeRecord] {
  return [record.transferId, record];
}

export type Unfinished = {
  transfers: UnfinishedTransfer[];
  /** Takes one off the list: it goes on, or is over. */
  forget(transferId: string): void;
  /** Deletes it on the server and here. Throws ApiError. */
  discard(transfer: UnfinishedTransfer): Promise<void>;
};

type UnfinishedInput = {
  transport: UploadTransport;
  scope?: UploadScope;
  joins?: string | undefined;
};

/**
 * What earlier visits, other tabs and other devices left unfinished; looked up when the page opens, and again
 * when another window stops sending one of them. With `joins` only what is to join that transfer.
 */
export function useUnfinished({ transport, scope = '', joins }: UnfinishedInput): Unfinished {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['/api/uploads', scope], [scope]);
  // Every visit looks anew: what was unfinished a minute ago may be through.
  const { data = NONE } = useQuery({
    queryKey,
    queryFn: () => loadUnfinished(transport, scope),
    staleTime: 0,
    gcTime: 0,
  });
  const transfers = useMemo(
    () => (joins ? data.filter(({ transferId }) => transferId === joins) : data),
    [data, joins],
  );
  const forget = useCallback(
    (transferId: string) =>
      client.setQueryData<UnfinishedTransfer[]>(queryKey, (list) =>
        list?.filter((each) => each.transferId !== transferId),
      ),
    [client, queryKey],
  );
  const discard = useCallback(
    async (transfer: UnfinishedTransfer) => {
      await discardOnServer(transport, transfer);
      await removeRecord(transfer.transferId);
      forget(transfer.transferId);
    },
    [forget, transport],
  );
  useReleases(transfers, queryKey);
  return { transfers, forget, discard };
}

/** Looks again as soon as a window that was sending has closed or is through. */
function useReleases(transfers: UnfinishedTransfer[], queryKey: QueryKey): void {
  const client = useQueryClient();
  useEffect(() => {
    const busy = transfers.filter(({ isElsewhere }) => isElsewhere);
    const stop = new AbortController();
    const look = () => void client.invalidateQueries({ queryKey });
    for (const { transferId } of busy) waitUntilReleased(transferId, stop.signal).then(look, () => {});
    return () => stop.abort();
  }, [transfers, client, queryKey]);
}

/** A draft goes as a whole; a transfer that others have already stays, without what was to join it. */
async function discardOnServer(
  transport: UploadTransport,
  { transferId, addsTo, uploads }: UnfinishedTransfer,
): Promise<void> {
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  if (!addsTo) return transport.discard(transferId, uploadIds);
  await Promise.all(uploadIds.map((uploadId) => transport.abort(uploadId).catch(ignoreGone)));
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
