import type { IncomingHttpHeaders } from 'node:http';
import { MAX_FILE_BYTES } from '../../../../contracts/plans/limits.ts';
import { isPasswordSetting } from '../../../../contracts/transfers/settings/text-settings.ts';
import { TUS_CHECKSUMS, TUS_VERSION } from '../../../../contracts/transfers/uploads/tus.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

const OFFSET_STREAM = 'application/offset+octet-stream';

export type TusChecksum = { algorithm: (typeof TUS_CHECKSUMS)[number]; value: Buffer };

export function requireVersion(headers: IncomingHttpHeaders): void {
  if (headers['tus-resumable'] !== TUS_VERSION)
    throw new AppError('tus_version', { details: { version: TUS_VERSION } });
}

/** Throws AppError `tus_not_supported`, `tus_bad_header`, `body_too_large`. */
export function readUploadLength(headers: IncomingHttpHeaders): number {
  for (const header of ['Upload-Defer-Length', 'Upload-Concat'])
    if (headers[header.toLowerCase()] !== undefined)
      throw new AppError('tus_not_supported', { details: { header } });
  const length = readCount(headers, 'Upload-Length');
  if (length > MAX_FILE_BYTES) throw new AppError('body_too_large');
  return length;
}

export function readUploadOffset(headers: IncomingHttpHeaders): number {
  return readCount(headers, 'Upload-Offset');
}

export function carriesBytes(headers: IncomingHttpHeaders): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === OFFSET_STREAM) return true;
  if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined)
    throw new AppError('unsupported_media_type');
  return false;
}

/** Throws AppError `tus_bad_header`, also for an algorithm that the server doesn't advertise. */
export function readChecksum(headers: IncomingHttpHeaders): TusChecksum | undefined {
  const header = headers['upload-checksum'];
  if (header === undefined) return undefined;
  const [name, encoded = ''] = String(header).split(' ');
  const algorithm = TUS_CHECKSUMS.find((each) => each === name);
  const value = Buffer.from(encoded, 'base64');
  if (!algorithm || value.length !== DIGEST_BYTES[algorithm])
    throw new AppError('tus_bad_header', { details: { name: 'Upload-Checksum' } });
  return { algorithm, value };
}

const DIGEST_BYTES = { sha1: 20, sha256: 32, md5: 16, crc32: 4 };

function readCount(headers: IncomingHttpHeaders, name: string): number {
  const text = headers[name.toLowerCase()];
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text))
    throw new AppError('tus_bad_header', { details: { name } });
  return Number(text);
}

const KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export type TusMetadata = Map<string, string>;

export function parseMetadata(header: string | undefined): TusMetadata {
  const metadata: TusMetadata = new Map();
  for (const [key, encoded] of splitPairs(header)) {
    const text = decodeBase64(encoded);
    if (!KEY.test(key) || metadata.has(key) || text === undefined)
      throw new AppError('tus_bad_header', { details: { name: 'Upload-Metadata' } });
    metadata.set(key, text);
  }
  return metadata;
}

/** The header is stored and sent back to the client, so passwords are left out. */
export function withoutSecrets(header: string | undefined): string {
  return splitPairs(header)
    .filter(([key]) => !isPasswordSetting(key))
    .map(([key, encoded]) => (encoded === '' ? key : `${key} ${encoded}`))
    .join(',');
}

/** Lower case, as sent by well-known clients. Most are ignored. */
const FILE_KEYS = new Set([
  ...['filename', 'name', 'relativepath', 'filetype', 'type', 'contenttype'],
  ...['mimetype', 'size', 'filesize', 'fingerprint', 'caption'],
  ...['mtime', 'modtime', 'modified', 'lastmodified', 'last_modified'],
]);

/** Larger numbers are milliseconds, smaller ones seconds: this is 1973 or the year 5138. */
const MILLISECONDS_FROM = 1e11;

/**
 * When the file was modified, in epoch milliseconds. Clients send seconds (rclone, ownCloud), milliseconds
 * (JavaScript's `lastModified`) or ISO 8601. Undefined for anything else.
 */
export function readModificationTime(metadata: TusMetadata): number | undefined {
  const text = textOf(
    metadata,
    'mtime',
    'modtime',
    'modified',
    'lastModified',
    'lastmodified',
    'last_modified',
  );
  if (text === undefined) return undefined;
  if (/^-?\d{1,15}(\.\d{1,9})?$/.test(text)) {
    const number = Number(text);
    return Math.abs(number) < MILLISECONDS_FROM ? number * 1000 : number;
  }
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Includes unknown names so that validation refuses them: a misspelled "pasword" must not leave a link unprotected. */
export function listSettings(metadata: TusMetadata): [name: string, text: string][] {
  return [...metadata].filter(([name, text]) => !FILE_KEYS.has(name.toLowerCase()) && text !== 'null');
}

/** Uppy sends the text "null" for missing values. */
export function textOf(metadata: TusMetadata, ...names: string[]): string | undefined {
  for (const name of names) {
    const text = metadata.get(name);
    if (text !== undefined && text !== '' && text !== 'null') return text;
  }
  return undefined;
}

function splitPairs(header = ''): [key: string, encoded: string][] {
  if (header.trim() === '') return [];
  return header.split(',').map((pair) => {
    const [key = '', encoded = '', ...more] = pair.trim().split(' ');
    return [more.length > 0 ? '' : key, encoded];
  });
}

function decodeBase64(encoded: string): string | undefined {
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
