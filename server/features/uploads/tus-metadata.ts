import { isPasswordSetting } from '../../../contracts/transfers/text-settings.ts';
import { AppError } from '../../platform/lib/app-error.ts';

const KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export type TusMetadata = Map<string, string>;

/** `Upload-Metadata`: pairs of a key and a value in base64. Throws AppError `tus_bad_header`. */
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

/** The header as it came, without passwords: it is stored and sent back to the client. */
export function withoutSecrets(header: string | undefined): string {
  return splitPairs(header)
    .filter(([key]) => !isPasswordSetting(key))
    .map(([key, encoded]) => (encoded === '' ? key : `${key} ${encoded}`))
    .join(',');
}

/**
 * What clients say of a file beside its settings: tus-js-client, Uppy and rclone among others. In lower case. Only the
 * first lines are used; the others are accepted, so that well-known clients work as they come.
 */
const FILE_KEYS = new Set([
  ...['filename', 'name', 'relativepath', 'filetype', 'type', 'contenttype'],
  ...['mimetype', 'size', 'filesize', 'lastmodified', 'mtime', 'fingerprint', 'caption'],
]);

/**
 * The pairs that are settings of the transfer. An unknown name stays among them and is refused with them: a mistyped
 * "pasword" must not open a link.
 */
export function listSettings(metadata: TusMetadata): [name: string, text: string][] {
  return [...metadata].filter(([name, text]) => !FILE_KEYS.has(name.toLowerCase()) && text !== 'null');
}

/** Uppy writes the text "null" for what a file has not. */
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
