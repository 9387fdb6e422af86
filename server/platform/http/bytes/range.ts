import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './http-date.ts';

/** Bytes `[start, end)`. */
export type ByteSpan = { start: number; end: number };

/** What a conditional or partial request is measured against. */
export type Resource = {
  /** Strong and quoted. */
  etag: string;
  /** Epoch milliseconds; HTTP sees whole seconds. */
  lastModifiedAt: number;
  sizeBytes: number;
};

/** How to answer, and with which bytes; the span is empty when none of the content is sent. */
export type ResolvedRange = ByteSpan & { status: 200 | 206 | 304 | 412 | 416 };

const NO_BYTES: ByteSpan = { start: 0, end: 0 };

/**
 * The answer to a GET or HEAD, by its preconditions and Range, in the order of RFC 9110, section 13.2.2.
 * Pure; a Range counts for GET only (14.2).
 */
export function resolveRange(
  headers: IncomingHttpHeaders,
  resource: Resource,
  method = 'GET',
): ResolvedRange {
  if (failsPrecondition(headers, resource)) return { status: 412, ...NO_BYTES };
  if (isUnmodified(headers, resource)) return { status: 304, ...NO_BYTES };
  const whole: ResolvedRange = { status: 200, start: 0, end: resource.sizeBytes };
  if (method !== 'GET' || headers.range === undefined || !mayContinue(headers['if-range'], resource))
    return whole;
  const range = parseRange(headers.range, resource.sizeBytes);
  if (range === undefined) return whole;
  return range === 'unsatisfiable' ? { status: 416, ...NO_BYTES } : { status: 206, ...range };
}

/**
 * The bytes a Range header asks for (RFC 9110, section 14.1.2), or undefined when it is to be ignored: it is
 * malformed, of another unit, or asks for more than one range. An empty file has no range to give, so asking
 * for its beginning or end gets the (empty) whole.
 */
export function parseRange(header: string, sizeBytes: number): ByteSpan | 'unsatisfiable' | undefined {
  const found = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header.trim());
  const [first = '', last = ''] = found?.slice(1) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return parseSuffix(Number(last), sizeBytes);
  const start = Number(first);
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== '' && Number(last) < start) return undefined;
  if (start === 0 && sizeBytes === 0) return undefined;
  return start < sizeBytes ? { start, end } : 'unsatisfiable';
}

function parseSuffix(length: number, sizeBytes: number): ByteSpan | 'unsatisfiable' | undefined {
  if (length === 0) return 'unsatisfiable';
  return sizeBytes === 0 ? undefined : { start: Math.max(0, sizeBytes - length), end: sizeBytes };
}

function failsPrecondition(headers: IncomingHttpHeaders, { etag, lastModifiedAt }: Resource): boolean {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) return ifMatch.trim() !== '*' && !listTags(ifMatch).includes(etag);
  const since = parseHttpDate(headers['if-unmodified-since']);
  return since !== undefined && toSeconds(lastModifiedAt) > toSeconds(since);
}

function isUnmodified(headers: IncomingHttpHeaders, { etag, lastModifiedAt }: Resource): boolean {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    return (
      ifNoneMatch.trim() === '*' || listTags(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
    );
  }
  const since = parseHttpDate(headers['if-modified-since']);
  return since !== undefined && toSeconds(lastModifiedAt) <= toSeconds(since);
}

/** If-Range: the client's part belongs to the content as it is now. Strong comparison, dates exactly. */
function mayContinue(ifRange: string | string[] | undefined, { etag, lastModifiedAt }: Resource): boolean {
  if (ifRange === undefined) return true;
  const validator = String(ifRange).trim();
  if (validator.endsWith('"')) return validator === etag;
  const date = parseHttpDate(validator);
  return date !== undefined && toSeconds(date) === toSeconds(lastModifiedAt);
}

function listTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

const toSeconds = (instant: number) => Math.floor(instant / 1000);
