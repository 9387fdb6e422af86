import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { OutgoingRefusal } from './refusal.ts';
import type { Target } from './target.ts';

export type Header = { name: string; value: string };

export type Posting = {
  headers: Header[];
  body: string;
  /** For all of it, from the connection to the end of the answer. */
  timeoutMs: number;
  /** Of the answer, the bytes that are read; then the connection is closed. */
  answerBytes: number;
  signal: AbortSignal;
  /** Further certificates to trust, for tests. */
  ca?: string;
};

export type Answer = { status: number; headers: Header[]; body: string; isTruncated: boolean };

/**
 * Posts to a target that was checked, on a connection of its own, and reads the beginning of the answer. Follows no
 * redirect. Throws OutgoingRefusal after the time-out, else what the connection failed with.
 */
export async function postTo(target: Target, posting: Posting): Promise<Answer> {
  const timeout = AbortSignal.timeout(posting.timeoutMs);
  const signal = AbortSignal.any([timeout, posting.signal]);
  try {
    return await readAnswer(open(target, posting, signal), posting);
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new OutgoingRefusal(`No whole answer came within ${posting.timeoutMs / 1000} seconds.`);
  }
}

function open(
  { url, addresses }: Target,
  { headers, body, ca }: Posting,
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

async function readAnswer(request: ClientRequest, { answerBytes }: Posting): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    // An answer that is none (101 and the like) ends without either.
    request.once('close', () =>
      reject(new OutgoingRefusal('The connection was closed before an answer came.')),
    );
  });
  try {
    const { bytes, isTruncated } = await readUpTo(response, answerBytes);
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

/** No database takes what is no text. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
