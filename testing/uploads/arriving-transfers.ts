import { chunkLength, planChunks } from '../../contracts/plans/limits.ts';
import { publishTransfer } from '../../contracts/transfers/arrival.ts';
import { initUploads } from '../../contracts/transfers/uploads/uploads.ts';
import type { Client } from '../calls/client.ts';
import { describeFile, sendChunk } from './upload-files.ts';

export type AnnouncedFile = { name: string; bytes: Buffer; uploadId: string };

export type ArrivingTransfer = { id: string; token: string; files: AnnouncedFile[] };

/** Announces the files and shares the link before any byte has arrived. */
export async function publishFiles(
  client: Client,
  files: { name: string; bytes: Buffer }[],
  settings: object = {},
): Promise<ArrivingTransfer> {
  const { transferId, uploads } = await client.call(initUploads, {
    body: { files: files.map(({ name, bytes }) => describeFile(name, bytes)) },
  });
  const { token } = await client.call(publishTransfer, {
    params: { id: transferId },
    body: { expectedFiles: files.length, ...settings },
  });
  return {
    id: transferId,
    token,
    files: files.map((file, index) => ({ ...file, uploadId: uploads[index]!.uploadId })),
  };
}

export function chunkOf(bytes: Buffer, index: number): Uint8Array<ArrayBuffer> {
  const { chunkSize } = planChunks(bytes.length);
  const start = index * chunkSize;
  return new Uint8Array(bytes.subarray(start, start + chunkLength(bytes.length, chunkSize, index)));
}

/** Throws if the chunk is refused. */
export async function storeChunk(
  client: Client,
  { bytes, uploadId }: AnnouncedFile,
  index: number,
): Promise<void> {
  const response = await sendChunk(client, { uploadId, index, body: chunkOf(bytes, index) });
  if (!response.ok) throw new Error(`chunk ${index}: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
}
