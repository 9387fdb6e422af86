import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { OutgoingRefusal } from './refusal.ts';
import type { Target } from './target.ts';

export type Header = { name: string; value: string };

export type PostRequest = {
  headers: Header[];
  body: string | Uint8Array;
  /** From connecting to the end of the response. */
  timeoutMs: number;
  /** Longer response bodies are truncated and the connection is closed. */
  maxResponseBytes: number;
  signal: AbortSignal;
  /** Additional trusted certificates, for tests. */
  ca?: string;
};

export type PostResponse = { status: number; headers: Header[]; body: string; isTruncated: boolean };

/**
 * Uses a new connection, doesn't follow redirects, and reads only the beginning of the response. Throws
 * OutgoingRefusal on a timeout, otherwise the connection's error.
 */
export async function postTo(target: Target, request: PostRequest): Promise<PostResponse> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([timeout, request.signal]);
  try {
    return await readResponse(open(target, request, signal), request);
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new OutgoingRefusal(`No complete response arrived within ${request.timeoutMs / 1000} seconds.`);
  }
}

function open(
  { url, addresses }: Target,
  { headers, body, ca }: PostRequest,
  signal: AbortSignal,
): ClientRequest {
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    if (all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    method: 'POST',
    agent: false,
    lookup,
    signal,
    headers: Object.fromEntries([
      ...headers.map(({ name, value }) => [name, value]),
      ['content-length', Buffer.byteLength(body)],
    ]),
    ...(ca !== undefined && { ca }),
  });
  request.end(body);
  return request;
}

async function readResponse(
  request: ClientRequest,
  { maxResponseBytes }: PostRequest,
): Promise<PostResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    // Responses such as 101 cause neither event.
    request.once('close', () =>
      reject(new OutgoingRefusal('The connection was closed before a response arrived.')),
    );
  });
  try {
    const { bytes, isTruncated } = await readUpTo(response, maxResponseBytes);
    return {
      status: response.statusCode ?? 0,
      headers: listHeaders(response),
      body: toStorableText(bytes.toString('utf8')),
      isTruncated,
    };
  } finally {
    request.destroy();
  }
}

async function readUpTo(response: IncomingMessage, most: number) {
  const blocks: Buffer[] = [];
  let read = 0;
  for await (const block of response as AsyncIterable<Buffer>) {
    blocks.push(block);
    read += block.length;
    if (read > most) break;
  }
  return { bytes: Buffer.concat(blocks).subarray(0, most), isTruncated: read > most };
}

function listHeaders({ rawHeaders }: IncomingMessage): Header[] {
  const headers: Header[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.push({ name: rawHeaders[index]!, value: toStorableText(rawHeaders[index + 1]!) });
  return headers;
}

/** PostgreSQL rejects NUL and lone surrogates in text. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
