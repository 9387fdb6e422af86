import type { UnfinishedUpload, UploadSession } from '../../../contracts/uploads.ts';
import type { UploadRow } from '../../platform/db/schema.ts';
import { toIso } from '../../platform/lib/clock.ts';

/** An upload that was just announced. */
export function presentSession({ id, transferId, chunkSize }: UploadRow): UploadSession {
  return { uploadId: id, transferId, chunkSize, receivedChunks: [] };
}

/** An upload that waits for the rest of its chunks. */
export function presentUnfinished(row: UploadRow, receivedChunks: number[]): UnfinishedUpload {
  return {
    uploadId: row.id,
    transferId: row.transferId,
    chunkSize: row.chunkSize,
    receivedChunks,
    fileName: row.fileName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    fileSize: row.sizeBytes,
    totalChunks: row.chunkCount,
    createdAt: toIso(row.createdAt),
    lastActivityAt: toIso(row.lastActivityAt),
  };
}
