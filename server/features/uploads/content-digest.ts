import { AppError } from '../../platform/lib/app-error.ts';
import type { ExpectedDigest } from '../../platform/storage/blob-store.ts';

const DIGEST_BYTES = { crc32: 4, 'sha-256': 32 } as const;
const MEMBER = /^([a-z0-9*_.-]+)=:([a-z0-9+/]*={0,2}):$/i;

/**
 * Reads a Content-Digest header (RFC 9530), as in `crc32=:AAAAAA==:` (four bytes, big-endian) or
 * `sha-256=:…:`; of several known ones the first. Undefined without a header.
 * Throws AppError `bad_digest` when no known algorithm is named, or when its value has the wrong length.
 */
export function parseContentDigest(header: string | undefined): ExpectedDigest | undefined {
  if (header === undefined) return undefined;
  for (const member of header.split(',')) {
    const [, name = '', base64 = ''] = MEMBER.exec(member.trim()) ?? [];
    const algorithm = name.toLowerCase();
    if (algorithm !== 'crc32' && algorithm !== 'sha-256') continue;
    const value = Buffer.from(base64, 'base64');
    if (value.length !== DIGEST_BYTES[algorithm]) break;
    return { algorithm, value };
  }
  throw new AppError('bad_digest');
}
