import { createHash } from 'node:crypto';
import {
  completeUpload,
  initUploads,
  type TransferSettingsInput,
  type UploadRequest,
} from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import type { Client } from '../calls/client.ts';
import { describeFile, sendChunks } from './upload-files.ts';

export type NamedBytes = { fileName: string; bytes: Buffer } & Pick<
  UploadRequest,
  'relativePath' | 'modifiedAt' | 'mode'
>;
export type SentTransfer = { id: string; token: string; fileIds: string[]; files: NamedBytes[] };

/** Announces, sends and completes a transfer of several files with the calls that the page makes. */
export async function sendTransfer(
  client: Client,
  files: NamedBytes[],
  settings: TransferSettingsInput = {},
): Promise<SentTransfer> {
  const { transferId, uploads } = await client.call(initUploads, {
    body: {
      files: files.map(({ bytes, ...facts }) => ({ ...describeFile(facts.fileName, bytes), ...facts })),
    },
  });
  let token = '';
  for (const [position, { uploadId }] of uploads.entries()) {
    await sendChunks(client, uploadId, files[position]!.bytes);
    const body = { fileCount: files.length, ...settings };
    ({ token } = await client.call(completeUpload, { params: { uploadId }, body }));
  }
  return { id: transferId, token, fileIds: uploads.map(({ uploadId }) => uploadId), files };
}

/** Throws if a downloaded file differs from the one that was sent. */
export async function requireWhole(client: Client, { token, fileIds, files }: SentTransfer): Promise<void> {
  for (const [position, fileId] of fileIds.entries()) {
    const response = await client.fetch(fileDownloadPath(token, fileId));
    const bytes = Buffer.from(await response.arrayBuffer());
    const { fileName, bytes: sent } = files[position]!;
    if (response.status !== 200 || sha256(bytes) !== sha256(sent))
      throw new Error(`${fileName}: ${response.status}, ${bytes.length} of ${sent.length} bytes`);
  }
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
