import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import {
  contentDisposition,
  type Disposition,
} from '../../../../contracts/values/names/content-disposition.ts';
import { AppError, isAppError } from '../../lib/app-error.ts';
import type { ByteReader, ByteSource } from '../../lib/byte-source.ts';
import { formatHttpDate } from './http-date.ts';
import { type ResolvedRange, resolveRange } from './range.ts';
import { type ArrivingReader, sendArrivingBlocks } from './send-arriving-blocks.ts';
import { type SendProgress, sendBlocks } from './send-blocks.ts';

export type BytesHead = {
  /** Strong and quoted. */
  etag: string;
  formerTag?: string | undefined;
  /** Epoch milliseconds. */
  lastModifiedAt: number;
  contentType: string;
  fileName: string;
  disposition?: Disposition;
  /** Content-Security-Policy; `sandbox` by default. */
  csp?: string;
  /** By default browsers must revalidate each time. */
  cacheControl?: string;
};

export type SentBytes = SendProgress & {
  start: number;
  end: number;
  complete: boolean;
};

export type SendOptions = {
  /** From `resolveRange`, if the caller already has it. */
  resolved?: ResolvedRange;
  /** Called once per GET with status 200 or 206, even if it fails before the head. */
  onEnd?: (sent: SentBytes) => void | Promise<void>;
  /** Whether the client goes on by itself if a response ends that had to wait for arriving bytes. */
  canResume?: boolean;
  /** Progress within the range; must not throw. */
  onProgress?: (progress: SendProgress) => void;
};

/** A paused download accepts no bytes. The browser resumes after a longer pause. */
const STALL_MS = 5 * MINUTE_MS;

/**
 * Answers a GET or HEAD with stored bytes: preconditions, one Range, exact length. Throws AppError
 * `range_not_satisfiable`, and errors of opening or first reading the source; a later failure destroys the
 * connection. Headers set on `reply` are sent, but `onSend` hooks don't run, so set cookies with
 * `reply.header('set-cookie', app.serializeCookie(…))`.
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  source: ByteSource,
  head: BytesHead,
  options: SendOptions = {},
): Promise<void> {
  const { sizeBytes } = source;
  const range = options.resolved ?? resolveRange(request.headers, { ...head, sizeBytes }, request.method);
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
      canResume: options.canResume ?? false,
      writeHead: () => void writeHead(reply, status, headers),
      onProgress: (current) => {
        progress = current;
        options.onProgress?.(current);
      },
    });
  } catch (error) {
    if (!reply.raw.headersSent) throw error;
    // The sender has cancelled the file while it was arriving.
    if (isAppError(error, 'file_withdrawn')) reply.log.info('download ended: the file was withdrawn');
    else reply.log.error({ err: error }, 'download aborted: its bytes could not be read');
  } finally {
    // The connection is gone, so keep Fastify from answering.
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
  canResume: boolean;
  writeHead: () => void;
  onProgress: (progress: SendProgress) => void;
};

async function streamRange(
  reply: FastifyReply,
  source: ByteSource,
  { range, canResume, ...sending }: Streaming,
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
    const whole = { ...sending, response, lengthBytes, stallMs: STALL_MS };
    if (isArriving(reader)) await sendArrivingBlocks({ ...whole, reader, canResume });
    else await sendBlocks({ ...whole, reader });
  } finally {
    await reader.close();
  }
}

function isArriving(reader: ByteReader): reader is ArrivingReader {
  return reader.available !== undefined;
}

async function reportEnd(reply: FastifyReply, { onEnd }: SendOptions, sent: SentBytes): Promise<void> {
  try {
    await onEnd?.(sent);
  } catch (error) {
    reply.log.error({ err: error }, 'the end of a download could not be recorded');
  }
}

function writeHead(reply: FastifyReply, status: number, headers: OutgoingHttpHeaders): ServerResponse {
  reply.hijack();
  return reply.raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
}

/** Browsers may keep a part to resume it, but access may have been revoked. */
const REVALIDATE = 'private, no-cache';

function listValidators({
  etag,
  lastModifiedAt,
  cacheControl = REVALIDATE,
  csp = 'sandbox',
}: BytesHead): OutgoingHttpHeaders {
  return {
    etag,
    // Also sent with 304, whose headers replace those of the cached copy.
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
