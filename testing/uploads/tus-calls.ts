import assert from 'node:assert/strict';
import { readApiError } from '../../client/api-error.ts';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import type { Client } from '../calls/client.ts';

export const OFFSET_STREAM = 'application/offset+octet-stream';

export async function tusCall(
  client: Client,
  method: string,
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: Buffer | ReadableStream } = {},
): Promise<Response> {
  return client.fetch(path, {
    method,
    headers: { 'tus-resumable': '1.0.0', accept: 'application/json', ...headers },
    ...(body !== undefined && { body: body instanceof Buffer ? new Uint8Array(body) : body }),
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  });
}

export function encodeMetadata(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, text]) => `${key} ${Buffer.from(text).toString('base64')}`)
    .join(',');
}

/** Announces a file and returns its URL path. Throws ApiError. */
export async function announceByTus(
  client: Client,
  sizeBytes: number,
  metadata: Record<string, string> = {},
): Promise<string> {
  const headers = { 'upload-length': String(sizeBytes), 'upload-metadata': encodeMetadata(metadata) };
  return (await expectOk(await tusCall(client, 'POST', '/api/tus', { headers }))).headers.get('location')!;
}

/** Sends bytes from an offset on. Returns the response, also a refusal. */
export function patchByTus(
  client: Client,
  path: string,
  {
    offset,
    body,
    headers,
  }: { offset: number; body: Buffer | ReadableStream; headers?: Record<string, string> },
): Promise<Response> {
  const named = { 'content-type': OFFSET_STREAM, 'upload-offset': String(offset), ...headers };
  return tusCall(client, 'PATCH', path, { headers: named, body });
}

/** The offset at which the upload continues. Throws ApiError (without problem details: HEAD has no body). */
export async function offsetByTus(client: Client, path: string): Promise<number> {
  return Number((await expectOk(await tusCall(client, 'HEAD', path))).headers.get('upload-offset'));
}

export async function expectOk(response: Response): Promise<Response> {
  if (!response.ok) throw await readApiError(response);
  await response.arrayBuffer();
  return response;
}

export function tokenOfLink(response: Response): string {
  return response.headers.get('sendwell-share-link')!.split('/').at(-1)!;
}

/** Asserts that the share link of the response leads to exactly these bytes. */
export async function requireStored(client: Client, answer: Response, bytes: Buffer): Promise<void> {
  const token = tokenOfLink(answer);
  const { files } = await client.call(viewDownload, { params: { token } });
  const response = await client.fetch(fileDownloadPath(token, files![0]!.id));
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
}
