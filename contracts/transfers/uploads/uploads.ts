import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { MAX_FILE_BYTES, MAX_FILES_PER_CALL, MAX_FILES_PER_TRANSFER } from '../../plans/limits.ts';
import { Id, Instant, InstantInput, isStorableText } from '../../values/fields.ts';
import { isModificationTime } from '../../values/modification-times.ts';
import { MIB } from '../../values/sizes.ts';
import { AccessKeyHash, EncryptionParams, SealedKey } from '../encryption.ts';
import { acceptPlainPassword, FirstFileName, SETTINGS_BODY_LIMIT, TransferSettings } from '../transfers.ts';

const FileName = z
  .string()
  .min(1, 'A file needs a name')
  .max(4_096)
  .refine(isStorableText, 'This file name is not valid text.');
const MimeType = z
  .string()
  .max(255)
  .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/)
  .catch('application/octet-stream');

const ModificationTime = InstantInput.refine(
  (text) => isModificationTime(Date.parse(text)),
  'This modification time is not between 1601 and 9999.',
);
/** Permissions and file type. */
const UNIX_MODE_MAX = 0o177777;

export const UploadRequest = z
  .strictObject({
    fileName: FileName,
    fileSize: z.int().nonnegative().max(MAX_FILE_BYTES, 'This file is too large to upload.'),
    totalChunks: z.int().nonnegative(),
    mimeType: MimeType.optional(),
    relativePath: FileName.nullish().describe(
      'Folders and file name, separated by `/`. At most 32 segments and 1,024 characters.',
    ),
    modifiedAt: ModificationTime.nullish().describe(
      'When the file was last modified. Recipients get it with the file and in the zip. Not for encrypted transfers.',
    ),
    mode: z
      .int()
      .min(0)
      .max(UNIX_MODE_MAX)
      .nullish()
      .describe(
        'Unix permissions of the file, as a decimal number. A file that anybody may execute (`mode & 0o111`) is marked as executable in the zip; all other bits are ignored. Not for encrypted transfers.',
      ),
  })
  .meta({
    id: 'UploadRequestInput',
    description: 'A file to upload. Unknown and malformed MIME types become application/octet-stream.',
  });
export type UploadRequest = z.infer<typeof UploadRequest>;

export const UploadSession = z.object({
  uploadId: z.string(),
  transferId: z.string(),
  chunkSize: z.int().describe('Bytes of every chunk except the last.'),
  receivedChunks: z.array(z.int()),
  direct: z
    .boolean()
    .optional()
    .describe(
      'If true, chunks may be sent straight to the bucket (`signChunks`). Sending them through this server always works too.',
    ),
});
export type UploadSession = z.infer<typeof UploadSession>;

const Visit = z.object({
  invitationToken: Id.nullish().describe('The token of an upload invitation, if its visitor makes the call.'),
});

export const NewEncryption = z
  .strictObject({ ...EncryptionParams.shape, accessKeyHash: AccessKeyHash })
  .describe(
    'Makes the new transfer end-to-end encrypted. Its files have the ids that their sender chose (32 hex digits) as name and path, and the size of whole encrypted segments. Only for calls without a `transferId`. Visitors must send it if the invitation is encrypted, and have no password.',
  );
export type NewEncryption = z.infer<typeof NewEncryption>;

export const initUpload = defineEndpoint({
  method: 'POST',
  path: '/api/upload/init',
  access: 'uploader',
  idempotent: true,
  summary: 'Announce a file and reserve its size',
  query: Visit,
  body: UploadRequest.extend({
    transferId: Id.nullish(),
    encryption: NewEncryption.nullish(),
    repairs: Id.nullish().describe(
      'Id of a damaged file of that ready transfer, to send it again. Length and checksums must match the original; completing the upload replaces the damaged bytes.',
    ),
    ...Visit.shape,
  }),
  response: UploadSession,
});

export const initUploads = defineEndpoint({
  method: 'POST',
  path: '/api/upload/init-many',
  access: 'uploader',
  idempotent: true,
  summary: 'Announce up to 1,000 files of one transfer',
  query: Visit,
  body: z.strictObject({
    ...Visit.shape,
    transferId: Id.nullish(),
    encryption: NewEncryption.nullish(),
    files: z.array(UploadRequest).min(1).max(MAX_FILES_PER_CALL),
  }),
  bodyLimit: 2 * MIB,
  response: z.object({
    transferId: z.string(),
    token: z
      .string()
      .optional()
      .describe(
        'The token of the link of a new encrypted transfer, whose owner should keep the link with its key from the beginning. It opens nothing until the transfer is complete.',
      ),
    uploads: z.array(UploadSession),
  }),
});

const UploadParams = z.object({ uploadId: Id });

export const uploadChunk = defineEndpoint({
  method: 'POST',
  path: '/api/upload/chunk/:uploadId/:index',
  access: 'uploader',
  summary: 'Send one chunk as application/octet-stream, with Content-Digest (crc32 or sha-256) if you can',
  params: UploadParams.extend({ index: z.string() }),
  query: Visit,
  body: 'stream',
  response: z.object({
    index: z.int(),
    wanted: z
      .int()
      .optional()
      .describe('The lowest chunk of this file that somebody is waiting for. Send it next.'),
  }),
});

const CRC32_MAX = 2 ** 32 - 1;
const SIGNED_PER_CALL = 100;
const ChunkIndex = z.int().nonnegative();

export const SignedChunk = z
  .object({
    index: z.int(),
    url: z.string().describe('Accepts one PUT of the chunk’s bytes.'),
    headers: z.record(z.string(), z.string()).describe('Send these headers unchanged.'),
    expiresAt: Instant,
  })
  .describe(
    'Where to send a chunk. Until it expires, the address accepts exactly these bytes from anyone who has it.',
  );
export type SignedChunk = z.infer<typeof SignedChunk>;

export const signChunks = defineEndpoint({
  method: 'POST',
  path: '/api/upload/:uploadId/parts',
  access: 'uploader',
  summary:
    'Addresses in the bucket for chunks with these CRC-32s; a chunk without one goes through this server',
  params: UploadParams,
  query: Visit,
  body: z.strictObject({
    ...Visit.shape,
    parts: z
      .array(z.strictObject({ index: ChunkIndex, crc32: z.int().nonnegative().max(CRC32_MAX) }))
      .min(1)
      .max(SIGNED_PER_CALL),
  }),
  response: z.object({ parts: z.array(SignedChunk) }),
});

export const confirmChunks = defineEndpoint({
  method: 'POST',
  path: '/api/upload/:uploadId/parts/done',
  access: 'uploader',
  summary: 'Which of the chunks put into the bucket have arrived; the others go through this server',
  params: UploadParams,
  query: Visit,
  body: z.strictObject({ ...Visit.shape, indexes: z.array(ChunkIndex).min(1).max(SIGNED_PER_CALL) }),
  response: z.object({ chunks: z.array(z.int()) }),
});

export const listChunks = defineEndpoint({
  method: 'GET',
  path: '/api/upload/:uploadId/chunks',
  access: 'uploader',
  summary: 'List the chunks that have arrived',
  params: UploadParams,
  query: Visit,
  response: z.object({ chunks: z.array(z.int()) }),
});

export const abortUpload = defineEndpoint({
  method: 'DELETE',
  path: '/api/upload/:uploadId',
  access: 'uploader',
  summary: 'Cancel an unfinished upload and release its reserved size',
  params: UploadParams,
  query: Visit,
  response: 'empty',
});

export const abortUploads = defineEndpoint({
  method: 'POST',
  path: '/api/upload/abort-many',
  access: 'uploader',
  summary: 'Cancel up to 1,000 unfinished uploads and release their reserved sizes; the others are ignored',
  query: Visit,
  body: z.strictObject({ ...Visit.shape, uploadIds: z.array(Id).min(1).max(MAX_FILES_PER_CALL) }),
  response: 'empty',
});

const SealedQuery = Visit.extend({
  revision: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .describe('1 for the first one, then always one more than the stored one.'),
});

export const putManifest = defineEndpoint({
  method: 'PUT',
  path: '/api/upload/manifest/:transferId',
  access: 'uploader',
  summary: 'Store the sealed list of names of an encrypted transfer, which it needs to become ready',
  description:
    'The body is the sealed manifest, at most 32 MiB, with its `Content-Length`. It replaces the previous revision. Sending the stored revision again with the same bytes changes nothing; another revision than the next one is refused with 409 `manifest_outdated`. To add files to a ready transfer, announce and send them, put the next revision, then complete them.',
  params: z.object({ transferId: Id }),
  query: SealedQuery,
  body: 'stream',
  response: 'empty',
});

export const putPictures = defineEndpoint({
  method: 'PUT',
  path: '/api/upload/pictures/:transferId',
  access: 'uploader',
  summary: 'Store the sealed thumbnails of an encrypted transfer',
  description:
    'Like `putManifest`, but optional and with revisions of its own. The body is at most 32 MiB long.',
  params: z.object({ transferId: Id }),
  query: SealedQuery,
  body: 'stream',
  response: 'empty',
});

export const putSealedKey = defineEndpoint({
  method: 'PUT',
  path: '/api/upload/sealed-key/:transferId',
  access: 'uploader',
  summary: 'Store the key of a visitor’s encrypted transfer, sealed for the owner of the invitation',
  description:
    'Only for visitors, who cannot share the link themselves. It replaces the stored one until the transfer is complete, which it needs to become.',
  params: z.object({ transferId: Id }),
  query: Visit,
  body: z.strictObject({ ...Visit.shape, sealedKey: SealedKey }),
  response: 'empty',
});

export const UnfinishedUpload = UploadSession.extend({
  addsTo: z
    .object({
      title: z.string().nullable(),
      firstFileName: FirstFileName,
      fileCount: z.int(),
      createdAt: Instant,
    })
    .nullable()
    .describe(
      'The ready transfer that the file will be added to. Null if the transfer is still waiting for files.',
    ),
  sharedToken: z
    .string()
    .nullable()
    .describe('The token of the share link, if it works already while the files arrive. Null for visitors.'),
  encryption: z.nullable(EncryptionParams).describe('Null if its transfer is not end-to-end encrypted.'),
  fileName: z.string(),
  relativePath: z.string(),
  mimeType: z.string(),
  fileSize: z.int().describe('Bytes.'),
  totalChunks: z.int(),
  createdAt: Instant,
  lastActivityAt: Instant,
});
export type UnfinishedUpload = z.infer<typeof UnfinishedUpload>;

export const UPLOADS_PER_PAGE_MAX = 1_000;

export const ListUploadsQuery = Visit.extend({
  limit: z.coerce.number().int().min(1).max(UPLOADS_PER_PAGE_MAX).optional(),
  cursor: z.string().max(1_000).optional().describe('Taken from the link to the next page.'),
});

export const listUploads = defineEndpoint({
  method: 'GET',
  path: '/api/uploads',
  access: 'uploader',
  summary: "The caller's unfinished uploads, oldest first, so that another tab can resume them",
  description: 'Pages have 1,000 uploads by default.',
  query: ListUploadsQuery,
  paged: true,
  response: z.array(UnfinishedUpload).max(UPLOADS_PER_PAGE_MAX),
});

export type TransferSettingsInput = z.input<typeof TransferSettings>;

const Completion = TransferSettings.extend({
  ...Visit.shape,
  transferId: Id.nullish(),
  fileCount: z
    .int()
    .min(1)
    .max(MAX_FILES_PER_TRANSFER)
    .nullish()
    .describe('Number of files that the transfer needs to become ready, 1 by default.'),
});

export const CompletedUpload = z.object({
  token: z.string().describe('The token of the share link. Empty for a visitor, who does not get it.'),
  transfer: z.object({ id: z.string() }),
});
export type CompletedUpload = z.infer<typeof CompletedUpload>;

export const completeUpload = defineEndpoint({
  method: 'POST',
  path: '/api/upload/complete/:uploadId',
  access: 'uploader',
  idempotent: true,
  summary: 'Finish a file; the first of a transfer carries its settings',
  params: UploadParams,
  query: Visit,
  body: acceptPlainPassword(
    Completion.extend({ fileName: FileName.nullish(), mimeType: MimeType.nullish() }),
  ),
  bodyLimit: SETTINGS_BODY_LIMIT,
  response: CompletedUpload,
});

export const completeUploads = defineEndpoint({
  method: 'POST',
  path: '/api/upload/complete-many',
  access: 'uploader',
  idempotent: true,
  summary: 'Finish up to 1,000 files of one transfer',
  query: Visit,
  body: acceptPlainPassword(
    Completion.extend({ transferId: Id, uploadIds: z.array(Id).min(1).max(MAX_FILES_PER_CALL) }),
  ),
  bodyLimit: MIB,
  response: CompletedUpload,
});
