import { createUploadFile, isWhole, receivedBytes, type UploadFile } from '../../../client/upload-plan.ts';
import type { Problem } from '../../../contracts/errors.ts';
import type { UnfinishedUpload } from '../../../contracts/transfers/uploads.ts';
import { normalisePath } from '../../../contracts/values/file-names.ts';
import type { PickedFile } from '../files/picked-files.ts';

/** A selected file. Mutable: only the engine changes it. */
export type UploadItem = UploadFile & {
  /** Unique on the page. */
  key: string;
  /** Absent if all of it arrived during an earlier visit. */
  file: File | undefined;
  name: string;
  /** Folder path and name, separated by '/'. */
  relativePath: string;
  mimeType: string;
  uploadId: string | undefined;
  /** Its chunks may be sent directly to the bucket. */
  direct: boolean;
  /** The most bytes shown so far: aborted chunks must not turn the progress back. */
  peakBytes: number;
};

export function createItem({ file, relativePath }: PickedFile): UploadItem {
  return {
    key: crypto.randomUUID?.() ?? String(Math.random()),
    file,
    name: file.name,
    relativePath,
    mimeType: file.type || 'application/octet-stream',
    ...createUploadFile(file.size),
    uploadId: undefined,
    direct: false,
    peakBytes: 0,
  };
}

function createArrivedItem(upload: UnfinishedUpload): UploadItem {
  const { uploadId, fileName, relativePath, fileSize, mimeType, chunkSize, totalChunks } = upload;
  return {
    key: uploadId,
    file: undefined,
    name: fileName,
    relativePath,
    mimeType,
    ...createUploadFile(fileSize, upload.receivedChunks),
    chunkSize,
    totalChunks,
    uploadId,
    direct: upload.direct ?? false,
    peakBytes: 0,
    phase: 'sent',
  };
}

/** The server no longer has the upload. */
export function resetItem(item: UploadItem): void {
  item.uploadId = undefined;
  item.received = new Set();
  item.peakBytes = 0;
  item.phase = 'waiting';
  item.error = undefined;
}

/** The server lost chunks, of one upload if it names one: they are sent again. */
export function forgetMissing(items: readonly UploadItem[], { uploadId, missing }: Partial<Problem>): void {
  for (const item of items) {
    if (uploadId !== undefined && uploadId !== item.uploadId) continue;
    for (const index of (missing as number[] | undefined) ?? []) item.received.delete(index);
    item.peakBytes = 0;
    item.phase = 'waiting';
  }
}

/** Bytes on the server or in flight; smaller after a chunk was aborted. */
export function transferredBytes(item: UploadItem): number {
  if (item.phase === 'done' || item.phase === 'sent') return item.size;
  return Math.min(item.size, receivedBytes(item) + item.inFlightBytes);
}

/** The progress to show, in bytes. It never decreases, except when the server has lost the upload. */
export function sentBytes(item: UploadItem): number {
  return Math.max(item.peakBytes, transferredBytes(item));
}

/** Identifies a file selected twice in one visit. */
export function choiceKey({ relativePath, size, file, key }: UploadItem): string {
  return `${size}:${file?.lastModified ?? key}:${relativePath}`;
}

/** Identifies a file across visits: its path as the server normalizes it, and its size. */
export function fingerprint({ relativePath, size }: { relativePath: string; size: number }): string {
  return `${size}:${normalisePath(relativePath) ?? relativePath}`;
}

/**
 * Matches selected files with the unfinished uploads they resume. A changed file is sent from the beginning, into the
 * same upload. Uploads without a file are `missing`, or `arrived` if they need none.
 */
export function matchUnfinished(
  items: readonly UploadItem[],
  unfinished: UnfinishedUpload[],
  isUnchanged: (item: UploadItem) => boolean,
): { arrived: UploadItem[]; missing: UnfinishedUpload[] } {
  const waiting = new Map<string, UnfinishedUpload[]>();
  for (const upload of unfinished) {
    const print = fingerprint({ ...upload, size: upload.fileSize });
    waiting.set(print, [...(waiting.get(print) ?? []), upload]);
  }
  for (const item of items) {
    if (item.uploadId) continue;
    const upload = waiting.get(fingerprint(item))?.shift();
    if (!upload) continue;
    item.uploadId = upload.uploadId;
    item.direct = upload.direct ?? false;
    item.received = new Set(isUnchanged(item) ? upload.receivedChunks : []);
    item.peakBytes = 0;
    if (isWhole(item)) item.phase = 'sent';
  }
  const rest = [...waiting.values()].flat();
  return {
    arrived: rest.filter(hasArrived).map(createArrivedItem),
    missing: rest.filter((upload) => !hasArrived(upload)),
  };
}

/** Whether the server has every chunk. */
export function hasArrived({ receivedChunks, totalChunks }: UnfinishedUpload): boolean {
  return receivedChunks.length >= totalChunks;
}
