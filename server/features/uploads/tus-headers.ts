import type { IncomingHttpHeaders } from 'node:http';
import { MAX_FILE_BYTES } from '../../../contracts/plans/limits.ts';
import { TUS_CHECKSUMS, TUS_VERSION } from '../../../contracts/transfers/tus.ts';
import { AppError } from '../../platform/lib/app-error.ts';

const OFFSET_STREAM = 'application/offset+octet-stream';

export type TusChecksum = { algorithm: (typeof TUS_CHECKSUMS)[number]; value: Buffer };

/** The client's version of the protocol must be ours. Throws AppError `tus_version`. */
export function requireVersion(headers: IncomingHttpHeaders): void {
  if (headers['tus-resumable'] !== TUS_VERSION)
    throw new AppError('tus_version', { details: { version: TUS_VERSION } });
}

/** A file's length in bytes. Throws AppError `tus_not_supported`, `tus_bad_header`, `body_too_large`. */
export function readUploadLength(headers: IncomingHttpHeaders): number {
  for (const header of ['Upload-Defer-Length', 'Upload-Concat'])
    if (headers[header.toLowerCase()] !== undefined)
      throw new AppError('tus_not_supported', { details: { header } });
  const length = readCount(headers, 'Upload-Length');
  if (length > MAX_FILE_BYTES) throw new AppError('body_too_large');
  return length;
}

/** Throws AppError `tus_bad_header`. */
export function readUploadOffset(headers: IncomingHttpHeaders): number {
  return readCount(headers, 'Upload-Offset');
}

/** Whether the request brings bytes of the file. Throws AppError `unsupported_media_type`. */
export function bringsBytes(headers: IncomingHttpHeaders): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === OFFSET_STREAM) return true;
  if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined)
    throw new AppError('unsupported_media_type');
  return false;
}

/** undefined when the sender does not say. */
export function readContentLength(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Throws AppError `tus_bad_header`, also for an algorithm that is not announced. */
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
