import { z } from 'zod';
import { Id, Instant, isStorableText } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { MAX_FILE_BYTES, MAX_FILES_PER_CALL, MAX_FILES_PER_TRANSFER } from './limits.ts';
import { MIB } from './sizes.ts';
import { acceptPlainPassword, SETTINGS_BODY_LIMIT, TransferSettings } from './transfers.ts';

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

/** A file as it is announced. Unknown or odd MIME types become application/octet-stream. */
export const UploadRequest = z.strictObject({
  fileName: FileName,
  fileSize: z.int().nonnegative().max(MAX_FILE_BYTES, 'This file is larger than any upload can be.'),
  totalChunks: z.int().nonnegative(),
  mimeType: MimeType.optional(),
  /** Folder path with the name, '/'-separated; at most 32 segments and 1,024 characters. */
  relativePath: FileName.nullish(),
});
export type UploadRequest = z.infer<typeof UploadRequest>;

export const UploadSession = z.object({
  uploadId: z.string(),
  transferId: z.string(),
  /** Bytes of every chunk but the last. */
  chunkSize: z.int(),
  receivedChunks: z.array(z.int()),
  /** True: chunks may go straight to the bucket (`signChunks`); they may always go through this server. */
  direct: z.boolean().optional(),
});
export type UploadSession = z.infer<typeof UploadSession>;

/** Of the invitation whose visitor is calling; without it the caller is signed in. */
const Visit = z.object({ invitationToken: Id.nullish() });

export const initUpload = defineEndpoint({
  method: 'POST',
  path: '/api/upload/init',
  access: 'uploader',
  idempotent: true,
  summary: 'Announce a file and reserve its size',
  query: Visit,
  body: UploadRequest.extend({
    transferId: Id.nullish(),
    /**
     * A damaged file of that ready transfer, sent again: length and checksums must be the original's. Completing it
     * replaces the damaged bytes.
     */
    repairs: Id.nullish(),
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
    files: z.array(UploadRequest).min(1).max(MAX_FILES_PER_CALL),
  }),
  bodyLimit: MIB,
  response: z.object({ transferId: z.string(), uploads: z.array(UploadSession) }),
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
  response: z.object({ index: z.int() }),
});

const CRC32_MAX = 2 ** 32 - 1;
const SIGNED_PER_CALL = 100;
const ChunkIndex = z.int().nonnegative();

/** Where a chunk may be put. Whoever holds the address can send those bytes and no others, until it lapses. */
export const SignedChunk = z.object({
  index: z.int(),
  /** For one PUT of the chunk's bytes. */
  url: z.string(),
  /** To be sent along as they are. */
  headers: z.record(z.string(), z.string()),
  expiresAt: Instant,
});
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
  summary: 'The chunks that arrived',
  params: UploadParams,
  query: Visit,
  response: z.object({ chunks: z.array(z.int()) }),
});

export const abortUpload = defineEndpoint({
  method: 'DELETE',
  path: '/api/upload/:uploadId',
  access: 'uploader',
  summary: 'Give an unfinished upload up; its reservation is released',
  params: UploadParams,
  query: Visit,
  response: 'empty',
});

export const UnfinishedUpload = UploadSession.extend({
  /** The ready transfer that the file is to join; null: a transfer that is still gathering its files. */
  addsTo: z.object({ title: z.string().nullable(), createdAt: Instant }).nullable(),
  fileName: z.string(),
  relativePath: z.string(),
  mimeType: z.string(),
  /** Bytes. */
  fileSize: z.int(),
  totalChunks: z.int(),
  createdAt: Instant,
  lastActivityAt: Instant,
});
export type UnfinishedUpload = z.infer<typeof UnfinishedUpload>;

export const UPLOADS_PER_PAGE_MAX = 1_000;

export const ListUploadsQuery = Visit.extend({
  limit: z.coerce.number().int().min(1).max(UPLOADS_PER_PAGE_MAX).optional(),
  /** From the link to the next page. */
  cursor: z.string().max(1_000).optional(),
});

/** 1,000 by default. The header `Link: <…>; rel="next"` names the next page, if there is one. */
export const listUploads = defineEndpoint({
  method: 'GET',
  path: '/api/uploads',
  access: 'uploader',
  summary: "The caller's unfinished uploads, the oldest first, so that another tab can resume them",
  query: ListUploadsQuery,
  response: z.array(UnfinishedUpload).max(UPLOADS_PER_PAGE_MAX),
});

export type TransferSettingsInput = z.input<typeof TransferSettings>;

const Completion = TransferSettings.extend({
  ...Visit.shape,
  transferId: Id.nullish(),
  /** Files this transfer is to have before it is ready; 1 unless told. */
  fileCount: z.int().min(1).max(MAX_FILES_PER_TRANSFER).nullish(),
});

/** `token`: of the share link; empty for a visitor, who is not told it. */
export const CompletedUpload = z.object({ token: z.string(), transfer: z.object({ id: z.string() }) });
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
