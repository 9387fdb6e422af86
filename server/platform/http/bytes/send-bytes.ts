import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import type { ByteSource } from '../../lib/byte-source.ts';
import { MINUTE_MS } from '../../lib/clock.ts';
import { contentDisposition, type Disposition } from './content-disposition.ts';
import { formatHttpDate } from './http-date.ts';
import { type ResolvedRange, resolveRange } from './range.ts';
import { type SendProgress, sendBlocks } from './send-blocks.ts';

/** What the answer says about the bytes. */
export type BytesHead = {
  /** Strong and quoted; another one as soon as a byte differs. */
  etag: string;
  /** Epoch milliseconds. */
  lastModifiedAt: number;
  contentType: string;
  fileName: string;
  /** `attachment` unless said otherwise. */
  disposition?: Disposition;
  /** The Content-Security-Policy, `sandbox` unless said otherwise. */
  csp?: string;
  /** Unless said otherwise browsers must ask each time. */
  cacheControl?: string;
};

export type SentBytes = SendProgress & {
  /** The part of the content that was asked for: `[start, end)`. */
  start: number;
  end: number;
  complete: boolean;
};

export type SendOptions = {
  /** What `resolveRange` said, for callers that had to know it before; must fit the same request and head. */
  resolved?: ResolvedRange;
  /** Called once for each GET answered 200 or 206, however it ended, also when it failed before the head. */
  onEnd?: (sent: SentBytes) => void | Promise<void>;
  /** Called for each block with the progress within the range; must not throw. */
  onProgress?: (progress: SendProgress) => void;
};

/** A person who pauses a download takes nothing; after a longer pause the browser goes on by Range. */
const STALL_MS = 5 * MINUTE_MS;

/**
 * Answers a GET or HEAD with stored bytes: preconditions, one Range, resumable by a strong ETag, always
 * with their exact length. Throws AppError `range_not_satisfiable`, and what opening or first reading the
 * source throws; later the connection is broken off instead, never a short answer that looks whole.
 * The answer is written past Fastify: headers set on `reply` travel, `onSend` hooks do not run, so a cookie
 * must be put there by `reply.header('set-cookie', app.serializeCookie(…))`.
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  source: ByteSource,
  head: BytesHead,
  options: SendOptions = {},
): Promise<void> {
  const { sizeBytes } = source;
  const resource = { etag: head.etag, lastModifiedAt: head.lastModifiedAt, sizeBytes };
  const range = options.resolved ?? resolveRange(request.headers, resource, request.method);
  if (range.status === 416) {
    throw new AppError('range_not_satisfiable', { details: { contentRange: `bytes */${sizeBytes}` } });
  }
  if (range.status === 412) return void writeHead(reply, 412, { 'content-length': 0 }).end();
  const validators = listValidators(head);
  if (range.status === 304) return void writeHead(reply, 304, validators).end();
  const headers = { ...validators, ...listContentHeaders(head, range, sizeBytes) };
  if (request.method === 'HEAD') return void writeHead(reply, range.status, headers).end();
  await sendBody(reply, source, { range, headers, options });
}

type Body = { range: ResolvedRange; headers: OutgoingHttpHeaders; options: SendOptions };

async function sendBody(
  reply: FastifyReply,
  source: ByteSource,
  { range, headers, options }: Body,
): Promise<void> {
  const { status, start, end } = range;
  let progress: SendProgress = { sentBytes: 0, begunBytes: 0 };
  try {
    await streamRange(reply, source, {
      range,
      writeHead: () => void writeHead(reply, status, headers),
      onProgress: (current) => {
        progress = current;
        options.onProgress?.(current);
      },
    });
  } catch (error) {
    if (!reply.raw.headersSent) throw error;
    reply.log.error({ err: error }, 'a download was broken off because its bytes could not be read');
  } finally {
    // Nobody is left to answer: keep Fastify from trying.
    if (reply.raw.destroyed) reply.hijack();
    await reportEnd(reply, options, {
      start,
      end,
      ...progress,
      complete: progress.sentBytes === end - start && reply.raw.headersSent,
    });
  }
}

type Streaming = {
  range: ResolvedRange;
  writeHead: () => void;
  onProgress: (progress: SendProgress) => void;
};

async function streamRange(
  reply: FastifyReply,
  source: ByteSource,
  { range, ...sending }: Streaming,
): Promise<void> {
  const response: ServerResponse = reply.raw;
  const lengthBytes = range.end - range.start;
  if (lengthBytes === 0) {
    sending.writeHead();
    response.end();
    return;
  }
  const reader = await source.open(range.start, range.end);
  try {
    await sendBlocks({ ...sending, response, reader, lengthBytes, stallMs: STALL_MS });
  } finally {
    await reader.close();
  }
}

async function reportEnd(reply: FastifyReply, { onEnd }: SendOptions, sent: SentBytes): Promise<void> {
  try {
    await onEnd?.(sent);
  } catch (error) {
    reply.log.error({ err: error }, 'noting the end of a download failed');
  }
}

/** Sends the status line and headers, those already set on the reply among them; the body is the caller's. */
function writeHead(reply: FastifyReply, status: number, headers: OutgoingHttpHeaders): ServerResponse {
  reply.hijack();
  return reply.raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
}

/** Browsers may keep what they have to resume it, but must ask: a right to download may have ended. */
const ASK_EACH_TIME = 'private, no-cache';

function listValidators({
  etag,
  lastModifiedAt,
  cacheControl = ASK_EACH_TIME,
  csp = 'sandbox',
}: BytesHead): OutgoingHttpHeaders {
  return {
    etag,
    // Also with 304, whose headers replace those of the browser's copy.
    'content-security-policy': csp,
    'last-modified': formatHttpDate(lastModifiedAt),
    'cache-control': cacheControl,
    'accept-ranges': 'bytes',
  };
}

function listContentHeaders(
  head: BytesHead,
  { status, start, end }: ResolvedRange,
  sizeBytes: number,
): OutgoingHttpHeaders {
  return {
    'content-type': head.contentType,
    'content-length': end - start,
    ...(status === 206 && { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }),
    'content-disposition': contentDisposition(head.fileName, head.disposition),
    'x-content-type-options': 'nosniff',
  };
}
