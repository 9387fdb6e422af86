import type { Problem } from '../../contracts/errors.ts';
import { chunkLength, planChunks } from '../../contracts/limits.ts';
import { normalisePath } from '../../contracts/names.ts';
import type { UnfinishedUpload, UploadRequest } from '../../contracts/uploads.ts';
import type { PickedFile } from './picked-files.ts';

/** 'sent': all bytes are on the server; 'done': it is part of the transfer. */
export type ItemPhase = 'waiting' | 'uploading' | 'sent' | 'done' | 'failed' | 'removed';

/** A chosen file on its way. Mutable: the engine owns it, pages read the snapshots. */
export type UploadItem = {
  /** Tells this choice from all others on the page. */
  key: string;
  /** undefined: all of it arrived during an earlier visit, so it was not selected again. */
  file: File | undefined;
  name: string;
  /** Folder path with the name, '/'-separated. */
  relativePath: string;
  /** Bytes. */
  size: number;
  mimeType: string;
  chunkSize: number;
  totalChunks: number;
  uploadId: string | undefined;
  /** Its chunks may go straight to the bucket. */
  direct: boolean;
  received: Set<number>;
  /** Bytes under way, by chunk index. */
  inFlight: Map<number, number>;
  phase: ItemPhase;
  error: string | undefined;
};

export function createItem({ file, relativePath }: PickedFile): UploadItem {
  return {
    key: crypto.randomUUID?.() ?? String(Math.random()),
    file,
    name: file.name,
    relativePath,
    size: file.size,
    mimeType: file.type || 'application/octet-stream',
    ...planChunks(file.size),
    uploadId: undefined,
    direct: false,
    received: new Set(),
    inFlight: new Map(),
    phase: 'waiting',
    error: undefined,
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
    size: fileSize,
    mimeType,
    chunkSize,
    totalChunks,
    uploadId,
    direct: upload.direct ?? false,
    received: new Set(upload.receivedChunks),
    inFlight: new Map(),
    phase: 'sent',
    error: undefined,
  };
}

/** How the file is announced to the server. */
export function toRequest({ name, relativePath, size, totalChunks, mimeType }: UploadItem): UploadRequest {
  return { fileName: name, relativePath, fileSize: size, totalChunks, mimeType };
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

/** Bytes on the server. */
function receivedBytes(item: UploadItem): number {
  if (item.phase === 'done' || item.phase === 'sent') return item.size;
  let bytes = item.received.size * item.chunkSize;
  const last = item.totalChunks - 1;
  if (item.received.has(last)) bytes -= item.chunkSize - chunkLength(item.size, item.chunkSize, last);
  return bytes;
}

/** Bytes on the server or under way: what the progress bar shows. */
export function sentBytes(item: UploadItem): number {
  let bytes = receivedBytes(item);
  for (const [index, inFlight] of item.inFlight) if (!item.received.has(index)) bytes += inFlight;
  return Math.min(item.size, bytes);
}

export function isWhole(item: UploadItem): boolean {
  return item.received.size >= item.totalChunks;
}

/** The same file chosen twice in one visit. */
export function choiceKey({ relativePath, size, file, key }: UploadItem): string {
  return `${size}:${file?.lastModified ?? key}:${relativePath}`;
}

/** The same file chosen in another visit: same place in the folder as the server writes it, same length. */
export function fingerprint({ relativePath, size }: { relativePath: string; size: number }): string {
  return `${size}:${normalisePath(relativePath) ?? relativePath}`;
}
