import { z } from 'zod/mini';
import {
  MAX_FILE_BYTES,
  MAX_FILES_PER_TRANSFER,
  MESSAGE_MAX,
  PATH_LENGTH_MAX,
  TITLE_MAX,
} from '../contracts/plans/limits.ts';
import { FILE_ID_PATTERN, MANIFEST_MAX_BYTES } from '../contracts/transfers/encryption.ts';
import { isStorableText, toOneLine } from '../contracts/values/fields.ts';
import { MIB } from '../contracts/values/sizes.ts';
import { type Bytes, utf8 } from './bytes.ts';
import { gunzip, gzip } from './gzip.ts';
import type { SegmentKey } from './keys.ts';
import { openDocument, sealDocument, unknownFormat } from './sealed-documents.ts';

/** A sender could compress gigabytes into 32 MiB to exhaust the recipient's memory. */
const JSON_MAX_BYTES = 256 * MIB;

const count = (max: number) => z.int().check(z.nonnegative(), z.maximum(max));
const text = (max: number) => z.string().check(z.trim(), z.maxLength(max), z.refine(isStorableText));

const ManifestFile = z.object({
  fileId: z.string().check(z.regex(FILE_ID_PATTERN)),
  /** '/'-separated, as the sender named it: recipients must clean it before they write a file. */
  path: z.string().check(z.minLength(1), z.maxLength(PATH_LENGTH_MAX), z.refine(isStorableText)),
  size: count(MAX_FILE_BYTES),
  /** Epoch milliseconds. */
  modifiedAt: z.nullable(z.int()),
  /** Absent if false or unknown. Readers ignore members that they don't know. */
  isExecutable: z.optional(z.boolean()),
  mimeType: z.string().check(z.maxLength(255)),
  crc32: z.nullable(count(2 ** 32 - 1)),
  sha256: z.nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

const Manifest = z.object({
  version: z.literal(1),
  /** Absent for files. Readers treat kinds that they don't know as files. */
  kind: z.catch(z.optional(z.literal('secret-text')), undefined),
  title: z.nullable(
    z.string().check(z.overwrite(toOneLine), z.maxLength(TITLE_MAX), z.refine(isStorableText)),
  ),
  message: z.nullable(text(MESSAGE_MAX)),
  files: z.array(ManifestFile).check(
    z.maxLength(MAX_FILES_PER_TRANSFER),
    z.refine((files) => new Set(files.map(({ fileId }) => fileId)).size === files.length),
  ),
});
export type Manifest = z.infer<typeof Manifest>;

/**
 * `revision` counts from 1 and rises with every change. Throws RangeError if the manifest is too large, and ZodError if
 * it is not valid.
 */
export async function sealManifest(key: SegmentKey, manifest: Manifest, revision: number): Promise<Bytes> {
  const head = await gzip(utf8(JSON.stringify(Manifest.parse(manifest))));
  const sealed = await sealDocument(key, { kind: 'manifest', revision, head });
  if (sealed.length > MANIFEST_MAX_BYTES) throw new RangeError('The list of files is too large.');
  return sealed;
}

/** Throws DamagedSegmentError, or UnknownFormatError for content this version cannot read. */
export async function openManifest(key: SegmentKey, sealed: Bytes, revision: number): Promise<Manifest> {
  const { head } = await openDocument(key, { kind: 'manifest', revision }, sealed);
  try {
    const json = await gunzip(head, JSON_MAX_BYTES);
    return Manifest.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)));
  } catch {
    throw unknownFormat('manifest');
  }
}
