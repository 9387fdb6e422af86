import type { EncryptionParams } from '../../../../contracts/transfers/encryption.ts';
import type {
  CompletedUpload,
  UnfinishedUpload,
  UploadSession,
} from '../../../../contracts/transfers/uploads/uploads.ts';
import type { TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import type { OpenUpload } from './queries.ts';
import type { Uploader } from './uploader.ts';

export function presentSession(upload: UploadRow, direct: boolean): UploadSession {
  const { id, transferId, chunkSize } = upload;
  return { uploadId: id, transferId, chunkSize, receivedChunks: [], ...(direct && { direct }) };
}

/** Only owners get the link, because the transfer is theirs to share. */
export function presentCompletion(
  { visitor }: Uploader,
  { id, token }: Pick<TransferRow, 'id' | 'token'>,
): CompletedUpload {
  return { token: visitor ? '' : token, transfer: { id } };
}

export function presentUnfinished(
  row: OpenUpload,
  { receivedChunks, direct }: { receivedChunks: number[]; direct: boolean },
): UnfinishedUpload {
  return {
    ...(direct && { direct }),
    uploadId: row.id,
    transferId: row.transferId,
    chunkSize: row.chunkSize,
    receivedChunks,
    addsTo:
      row.transferStatus === 'ready'
        ? {
            title: row.transferTitle,
            firstFileName: row.firstFileName,
            fileCount: row.transferFileCount,
            createdAt: toIso(row.transferCreatedAt),
          }
        : null,
    sharedToken: row.transferStatus === 'arriving' && row.visitorKey === null ? row.transferToken : null,
    encryption: row.encryption === null ? null : (JSON.parse(row.encryption) as EncryptionParams),
    fileName: row.fileName,
    relativePath: row.relativePath,
    mimeType: row.mimeType,
    fileSize: row.sizeBytes,
    totalChunks: row.chunkCount,
    createdAt: toIso(row.createdAt),
    lastActivityAt: toIso(row.lastActivityAt),
  };
}
