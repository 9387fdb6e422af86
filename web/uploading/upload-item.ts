import { createUploadFile, receivedBytes, type UploadFile } from '../../client/upload-plan.ts';
import type { Problem } from '../../contracts/errors.ts';
import type { UnfinishedUpload } from '../../contracts/transfers/uploads.ts';
import { normalisePath } from '../../contracts/values/file-names.ts';
import type { PickedFile } from './picked-files.ts';

/** A chosen file on its way. Mutable: the engine owns it, pages read the snapshots. */
export type UploadItem = UploadFile & {
  /** Tells this choice from all others on the page. */
  key: string;
  /** undefined: all of it arrived during an earlier visit, so it was not selected again. */
  file: File | undefined;
  name: string;
  /** Folder path with the name, '/'-separated. */
  relativePath: string;
  mimeType: string;
  uploadId: string | undefined;
  /** Its chunks may go straight to the bucket. */
  direct: boolean;
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
  };
}

/** A file of which every chunk has arrived. */
export function createArrivedItem(upload: UnfinishedUpload): UploadItem {
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
    phase: 'sent',
  };
}

/** The server knows nothing of it any more. */
export function startAnew(item: UploadItem): void {
  item.uploadId = undefined;
  item.received = new Set();
  item.phase = 'waiting';
  item.error = undefined;
}

/** The server lacks chunks, of one upload if it names one: they are sent again. */
export function forgetMissing(items: readonly UploadItem[], { uploadId, missing }: Partial<Problem>): void {
  for (const item of items) {
    if (uploadId !== undefined && uploadId !== item.uploadId) continue;
    for (const index of (missing as number[] | undefined) ?? []) item.received.delete(index);
    item.phase = 'waiting';
  }
}

/** Bytes on the server or under way: what the progress bar shows. */
export function sentBytes(item: UploadItem): number {
  if (item.phase === 'done' || item.phase === 'sent') return item.size;
  return Math.min(item.size, receivedBytes(item) + item.inFlightBytes);
}

/** The same file chosen twice in one visit. */
export function choiceKey({ relativePath, size, file, key }: UploadItem): string {
  return `${size}:${file?.lastModified ?? key}:${relativePath}`;
}

/** The same file chosen in another visit: same place in the folder as the server writes it, same length. */
export function fingerprint({ relativePath, size }: { relativePath: string; size: number }): string {
  return `${size}:${normalisePath(relativePath) ?? relativePath}`;
}
