import type { UnfinishedUpload, UploadSession } from '../../../contracts/uploads.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import { toIso } from '../../platform/lib/clock.ts';
import type { OpenUpload } from './queries.ts';

/** An upload that was just announced. */
export function presentSession({ id, transferId, chunkSize }: UploadRow): UploadSession {
  return { uploadId: id, transferId, chunkSize, receivedChunks: [] };
}

/** An upload that waits for the rest of its chunks. */
export function presentUnfinished(row: OpenUpload, receivedChunks: number[]): UnfinishedUpload {
  return {
    uploadId: row.id,
    transferId: row.transferId,
    chunkSize: row.chunkSize,
    receivedChunks,
    addsTo: row.transferStatus === 'ready' ? { title: row.transferTitle } : null,
    fileName: row.fileName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    fileSize: row.sizeBytes,
    totalChunks: row.chunkCount,
    createdAt: toIso(row.createdAt),
    lastActivityAt: toIso(row.lastActivityAt),
  };
}
