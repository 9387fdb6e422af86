import { SECRET_TEXT_MAX } from '../contracts/plans/limits.ts';
import { isStorableText } from '../contracts/values/fields.ts';
import { KIB } from '../contracts/values/sizes.ts';
import { type Bytes, utf8 } from './bytes.ts';
import { UnknownFormatError } from './errors.ts';
import { createEncryption, type NewEncryption } from './keys.ts';
import { type Manifest, type ManifestFile, sealManifest } from './manifest.ts';
import { createFileId, sealSegments } from './segments.ts';

/** Texts are padded to a multiple of this, so that the size of a password says nothing about its length. */
const BLOCK_BYTES = 4 * KIB;
/** A UTF-16 unit needs at most 3 bytes in UTF-8. */
const PADDED_MAX_BYTES = Math.ceil((3 * SECRET_TEXT_MAX) / BLOCK_BYTES) * BLOCK_BYTES;
/** Clients that don't know secret texts save them under this name. */
export const SECRET_FILE_NAME = 'secret.txt';

/** A text as an encrypted transfer of one file, ready to send. */
export type SealedText = NewEncryption & {
  fileId: string;
  /** The file. It is one chunk. */
  sealed: Bytes;
  /** Its first revision. */
  sealedManifest: Bytes;
};

export function isSecretText(text: string): boolean {
  return text.trim() !== '' && text.length <= SECRET_TEXT_MAX && isStorableText(text);
}

type SecretText = { text: string; title?: string | undefined; password?: string | undefined };

/** Throws RangeError for a text that `isSecretText` refuses. */
export async function sealSecretText({ text, title, password }: SecretText): Promise<SealedText> {
  if (!isSecretText(text)) throw new RangeError('This text cannot be sent.');
  const encryption = await createEncryption(password === undefined ? {} : { password });
  const plain = pad(utf8(text));
  const fileId = createFileId();
  const file: ManifestFile = {
    fileId,
    path: SECRET_FILE_NAME,
    size: plain.length,
    modifiedAt: null,
    mimeType: 'text/plain',
    crc32: null,
    sha256: null,
  };
  const manifest: Manifest = {
    version: 1,
    kind: 'secret-text',
    title: title || null,
    message: null,
    files: [file],
  };
  const { keys } = encryption;
  return {
    ...encryption,
    fileId,
    sealed: await sealSegments(keys.content, { fileId, plainBytes: plain.length, firstSegment: 0 }, plain),
    sealedManifest: await sealManifest(keys.manifest, manifest, 1),
  };
}

/**
 * Returns undefined if the manifest describes files. That includes a text larger than clients send: they read texts
 * into memory, and a sender could claim gigabytes.
 */
export function findSecretText({ kind, files }: Manifest): ManifestFile | undefined {
  const [file, ...others] = files;
  if (kind !== 'secret-text' || !file || others.length > 0) return undefined;
  return file.size <= PADDED_MAX_BYTES ? file : undefined;
}

/** Returns the text of the decrypted file. Throws UnknownFormatError if it is not UTF-8. */
export function readSecretText(plain: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain).replace(/\0+$/, '');
  } catch {
    throw new UnknownFormatError('This is not a text.');
  }
}

/** Appends zero bytes, which no text contains. */
function pad(bytes: Bytes): Bytes {
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  return padded;
}
