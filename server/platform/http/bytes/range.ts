import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './http-date.ts';

/** Bytes `[start, end)`. */
export type ByteSpan = { start: number; end: number };

export type Resource = {
  /** Strong and quoted. */
  etag: string;
  /** The tag that an earlier release gave the same bytes, accepted in requests. */
  formerTag?: string | undefined;
  /** Epoch milliseconds; compared in whole seconds. */
  lastModifiedAt: number;
  sizeBytes: number;
};

export type ResolvedRange = ByteSpan & { status: 200 | 206 | 304 | 412 | 416 };

const NO_BYTES: ByteSpan = { start: 0, end: 0 };

/**
 * Evaluates preconditions and Range in the order of RFC 9110, section 13.2.2. Range applies to GET only
 * (14.2).
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
 * RFC 9110, section 14.1.2. Undefined if the header must be ignored (malformed, another unit, several
 * ranges). For an empty file, a range at its beginning or end yields the empty whole.
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

function failsPrecondition(headers: IncomingHttpHeaders, resource: Resource): boolean {
  const { lastModifiedAt } = resource;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined)
    return ifMatch.trim() !== '*' && !listTags(ifMatch).some((tag) => isTagOf(resource, tag));
  const since = parseHttpDate(headers['if-unmodified-since']);
  return since !== undefined && toSeconds(lastModifiedAt) > toSeconds(since);
}

function isUnmodified(headers: IncomingHttpHeaders, resource: Resource): boolean {
  const { lastModifiedAt } = resource;
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    const tags = listTags(ifNoneMatch).map((tag) => tag.replace(/^W\//, ''));
    return ifNoneMatch.trim() === '*' || tags.some((tag) => isTagOf(resource, tag));
  }
  const since = parseHttpDate(headers['if-modified-since']);
  return since !== undefined && toSeconds(lastModifiedAt) <= toSeconds(since);
}

/** If-Range: strong comparison; dates must match exactly. */
function mayContinue(ifRange: string | string[] | undefined, resource: Resource): boolean {
  if (ifRange === undefined) return true;
  const validator = String(ifRange).trim();
  if (validator.endsWith('"')) return isTagOf(resource, validator);
  const date = parseHttpDate(validator);
  return date !== undefined && toSeconds(date) === toSeconds(resource.lastModifiedAt);
}

function isTagOf({ etag, formerTag }: Resource, tag: string): boolean {
  return tag === etag || tag === formerTag;
}

function listTags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

const toSeconds = (instant: number) => Math.floor(instant / 1000);
