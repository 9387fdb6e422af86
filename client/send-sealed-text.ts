import { addressOf } from '../contracts/endpoint.ts';
import { deleteTransfer } from '../contracts/transfers/transfers.ts';
import {
  completeUploads,
  initUploads,
  type NewEncryption,
  putManifest,
  type TransferSettingsInput,
} from '../contracts/transfers/uploads/uploads.ts';
import { ApiError, NetworkError } from './api-error.ts';
import type { Caller } from './call.ts';
import { chunkRequest, toUploadRequest } from './upload-plan.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What `sealSecretText` returns, without its keys. */
type SealedText = { fileId: string; sealed: Bytes; sealedManifest: Bytes; encryption: NewEncryption };

export type BytesRequest = { method: string; path: string; headers: Record<string, string>; body: Bytes };

type Connection = Pick<Caller, 'call'> & {
  /** Throws ApiError or NetworkError. */
  sendBytes(request: BytesRequest): Promise<void>;
  crc32(bytes: Bytes): number;
  /** Of each call; once by default. */
  retry?<T>(attempt: () => Promise<T>): Promise<T>;
};

/**
 * Sends a sealed text as a transfer of its own. Repeating it with the same sealed text continues what a broken
 * connection interrupted. Throws ApiError, after discarding what was announced, or NetworkError.
 */
export async function sendSealedText(
  { fileId, sealed, sealedManifest, encryption }: SealedText,
  settings: TransferSettingsInput,
  { call, sendBytes, crc32, retry = (attempt) => attempt() }: Connection,
): Promise<{ id: string; token: string }> {
  const type = 'application/octet-stream';
  const file = toUploadRequest({ relativePath: fileId, size: sealed.length, mimeType: type });
  const { transferId, uploads } = await retry(() =>
    call(initUploads, { body: { encryption, files: [file] }, idempotencyKey: fileId }),
  );
  const { uploadId } = uploads[0]!;
  try {
    const chunk = { ...chunkRequest({ uploadId, index: 0, crc32: crc32(sealed) }), body: sealed };
    await retry(() => sendBytes(chunk)).catch((error: unknown) => {
      // An earlier attempt completed it, but its answer was lost.
      if (!(error instanceof ApiError && error.code === 'upload_closed')) throw error;
    });
    await retry(() =>
      sendBytes({
        method: putManifest.method,
        path: addressOf(putManifest.path, { transferId }, { revision: 1 }),
        headers: { accept: 'application/json', 'content-type': type },
        body: sealedManifest,
      }),
    );
    const body = { ...settings, transferId, uploadIds: [uploadId], fileCount: 1 };
    const { token } = await retry(() => call(completeUploads, { body }));
    return { id: transferId, token };
  } catch (error) {
    // Otherwise the upload page would offer to continue it.
    if (!(error instanceof NetworkError))
      await call(deleteTransfer, { params: { id: transferId } }).catch(() => {});
    throw error;
  }
}
