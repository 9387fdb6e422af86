import {
  createUploadFile,
  isWhole,
  receivedBytes,
  toUploadRequest,
  type UploadFile,
} from '../../../client/upload-plan.ts';
import type { Problem } from '../../../contracts/errors.ts';
import type { UnfinishedUpload, UploadRequest } from '../../../contracts/transfers/uploads/uploads.ts';
import { normalisePath } from '../../../contracts/values/names/file-names.ts';
import type { PickedFile } from '../files/picked-files.ts';
import { crc32 } from './crc32.ts';

/**
 * An unfinished upload. Of an encrypted one this device knows more than the server: name, path, type and sizes are
 * those of the plaintext, and `fileId` is its name on the server.
 */
export type LocalUpload = UnfinishedUpload & {
  fileId?: string;
  /** The name was removed from this device, so that the path is the checksum of one. */
  isNameless?: boolean;
  /** This device knows nothing about the file. */
  isUnknown?: boolean;
};

/** A selected file. Mutable: only the engine changes it. Sizes and chunks are those of the plaintext. */
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
  /** Its name on the server if it is sent encrypted. */
  fileId: string | undefined;
  /** Its chunks may be sent directly to the bucket. */
  direct: boolean;
  /** The file changed after its beginning was shared: it must be sent as another upload. */
  isReplaced: boolean;
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
    fileId: undefined,
    direct: false,
    isReplaced: false,
    peakBytes: 0,
  };
}

function createArrivedItem(upload: LocalUpload): UploadItem {
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
    fileId: upload.fileId,
    direct: upload.direct ?? false,
    isReplaced: false,
    peakBytes: 0,
    phase: 'sent',
  };
}

/** What the server must know of a file that is sent unencrypted. */
export function toRequest({ relativePath, size, mimeType, file }: UploadItem): UploadRequest {
  return toUploadRequest({ relativePath, size, mimeType, modifiedAt: file?.lastModified });
}

/** The server no longer has the upload. */
export function resetItem(item: UploadItem): void {
  item.uploadId = undefined;
  item.fileId = undefined;
  item.isReplaced = false;
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

/** The size and a checksum of the path, for names that must not stay on the device. */
export function hashFingerprint(print: string): string {
  const [size = ''] = print.split(':', 1);
  const path = new TextEncoder().encode(print.slice(size.length + 1));
  return `${size}:crc32:${crc32(path).toString(16)}`;
}

/**
 * Matches selected files with the unfinished uploads they resume. A changed file is sent as another upload, because it
 * has another modification time and, if it is encrypted, the server must not mix segments of two versions: the first
 * upload is `outdated`. Uploads without a file are `missing`, or `arrived` if they need none.
 */
export function matchUnfinished(
  items: readonly UploadItem[],
  unfinished: readonly LocalUpload[],
  isUnchanged: (item: UploadItem) => boolean,
): { arrived: UploadItem[]; missing: LocalUpload[]; outdated: LocalUpload[] } {
  const outdated: LocalUpload[] = [];
  const waiting = new Map<string, LocalUpload[]>();
  for (const upload of unfinished) {
    const print = fingerprint({ ...upload, size: upload.fileSize });
    waiting.set(print, [...(waiting.get(print) ?? []), upload]);
  }
  for (const item of items) {
    if (item.uploadId) continue;
    const print = fingerprint(item);
    const upload = (waiting.get(print) ?? waiting.get(hashFingerprint(print)))?.shift();
    if (!upload) continue;
    if (!isUnchanged(item)) {
      outdated.push(upload);
      continue;
    }
    item.uploadId = upload.uploadId;
    item.fileId = upload.fileId;
    item.chunkSize = upload.chunkSize;
    item.totalChunks = upload.totalChunks;
    item.direct = upload.direct ?? false;
    item.received = new Set(upload.receivedChunks);
    item.peakBytes = 0;
    if (isWhole(item)) item.phase = 'sent';
  }
  const rest = [...waiting.values()].flat();
  return {
    arrived: rest.filter(hasArrived).map(createArrivedItem),
    missing: rest.filter((upload) => !hasArrived(upload)),
    outdated,
  };
}

/** Whether the server has every chunk. The name of an encrypted file must be known, too. */
export function hasArrived({ receivedChunks, totalChunks, isNameless, isUnknown }: LocalUpload): boolean {
  return receivedChunks.length >= totalChunks && !isNameless && !isUnknown;
}
