import { createCipheriv, createHash } from 'node:crypto';
import { planChunks } from '../../contracts/plans/limits.ts';
import { completeUpload, initUpload } from '../../contracts/transfers/uploads/uploads.ts';
import type { Context } from '../../server/context.ts';
import type { Client } from '../calls/client.ts';

/** Pseudorandom bytes, the same in every run. */
export function makeBytes(sizeBytes: number, seed = 'bytes'): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(sizeBytes));
}

export function describeFile(fileName: string, bytes: Buffer) {
  return { fileName, fileSize: bytes.length, totalChunks: planChunks(bytes.length).totalChunks };
}

export async function announceFile(client: Client, fileName: string, bytes: Buffer, transferId?: string) {
  return client.call(initUpload, { body: { ...describeFile(fileName, bytes), transferId } });
}

type Chunk = {
  uploadId: string;
  index: number | string;
  body: Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: Record<string, string>;
  invitationToken?: string;
};

/** Sends one chunk. Returns the response, also a refusal. */
export async function sendChunk(
  client: Client,
  { uploadId, index, body, headers, invitationToken }: Chunk,
): Promise<Response> {
  const query = invitationToken === undefined ? '' : `?${new URLSearchParams({ invitationToken })}`;
  return client.fetch(`/api/upload/chunk/${uploadId}/${index}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', accept: 'application/json', ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  });
}

/** Sends all chunks of a file in parallel, last one first. Throws if one is refused. */
export async function sendChunks(
  client: Client,
  uploadId: string,
  bytes: Buffer,
  query: { invitationToken?: string } = {},
): Promise<void> {
  const { chunkSize, totalChunks } = planChunks(bytes.length);
  const sending = Array.from({ length: totalChunks }, async (_, index) => {
    const body = new Uint8Array(bytes.subarray(index * chunkSize, (index + 1) * chunkSize));
    const response = await sendChunk(client, { uploadId, index, body, ...query });
    if (!response.ok) throw new Error(`chunk ${index}: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  });
  await Promise.all(sending.reverse());
}

export async function completeFile(client: Client, uploadId: string, body: object = {}) {
  return client.call(completeUpload, { params: { uploadId }, body });
}

export async function uploadFile(client: Client, fileName: string, bytes: Buffer, settings: object = {}) {
  const { uploadId } = await announceFile(client, fileName, bytes);
  await sendChunks(client, uploadId, bytes);
  return { uploadId, ...(await completeFile(client, uploadId, settings)) };
}

export async function readStored(
  { blobs }: Pick<Context, 'blobs'>,
  { storageKey, offset, sizeBytes }: { storageKey: string; offset: number; sizeBytes: number },
): Promise<Buffer> {
  const bytes = Buffer.alloc(sizeBytes);
  if (sizeBytes === 0) return bytes;
  const range = await blobs.openRange(storageKey, offset, offset + sizeBytes);
  try {
    await range.fill([bytes]);
  } finally {
    await range.close();
  }
  return bytes;
}
