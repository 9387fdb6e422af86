import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { Email, Id, Instant, ShareToken, textUpTo } from '../../values/fields.ts';
import { FILES_PER_PAGE } from '../../values/paging.ts';
import { KIB } from '../../values/sizes.ts';
import { ArrivalProgress } from '../arrival.ts';
import { AccessKey, EncryptionParams } from '../encryption.ts';
import { FilesQuery, FirstFilesQuery } from '../file-queries.ts';
import { blankAsAbsent, FirstFileName, TransferFile } from '../transfers.ts';

export const DownloadView = z
  .object({
    isPasswordProtected: z.boolean().optional(),
    unlocked: z.boolean().optional(),
    encryption: z
      .optional(EncryptionParams)
      .describe(
        'Set for an end-to-end encrypted transfer, also while it is locked. It is locked until `verifyDownload` gets its access key.',
      ),
    isExpired: z.boolean().optional(),
    isChecking: z
      .boolean()
      .optional()
      .describe('True while its files are scanned for malware. Try again in a few seconds.'),
    isStopped: z
      .boolean()
      .optional()
      .describe(
        'True if the link was shared early, but the upload has stopped for two days. The sender can go on with it.',
      ),
    arrival: ArrivalProgress.optional().describe(
      'Only while files are still arriving. `viewArrival` returns it alone.',
    ),
    offersArrivalNotice: z
      .boolean()
      .optional()
      .describe(
        'Only while files are still arriving: whether `askForArrivalNotice` is possible. It is not on a server that sends no email.',
      ),
    availableAt: Instant.optional().describe('Set until the scheduled time.'),
    senderName: z
      .string()
      .optional()
      .describe('The name of the account that shares the files. Only with the files.'),
    title: z.string().nullish(),
    firstFileName: FirstFileName.optional(),
    message: z.string().nullish(),
    createdAt: Instant.optional(),
    expiresAt: Instant.nullish(),
    scheduledAvailableAt: Instant.nullish(),
    downloadCount: z.int().optional(),
    maxDownloads: z.int().nullish(),
    fileCount: z.int().optional(),
    totalSize: z.int().optional().describe('Bytes of all files.'),
    version: z.int().optional().describe('1 until the first update. See `listDownloadVersions`.'),
    zipSize: z.int().optional().describe('Bytes of the zip of all files.'),
    files: z.array(TransferFile).max(FILES_PER_PAGE).optional().describe('The first 1,000 by `position`.'),
    nextFiles: z
      .string()
      .nullish()
      .describe('Cursor of the next page of files. Null if `files` is complete.'),
    isDeleting: z
      .boolean()
      .optional()
      .describe(
        'True if the last allowed download was used and deletes the transfer, so that its owner cannot reopen it.',
      ),
    hasDamagedFiles: z
      .boolean()
      .optional()
      .describe('Whether any file of the transfer is damaged. If so, there is no zip of all files.'),
  })
  .describe(
    'What anyone with the link can see. A locked transfer shows only `isPasswordProtected`, `unlocked` and `encryption`, an expired one only `isExpired` and `isDeleting`, one that is being scanned only `isChecking`, one whose upload has stopped only `isStopped`, and a scheduled one no file names, so most fields are optional.',
  );
export type DownloadView = z.infer<typeof DownloadView>;

const ShareParams = z.object({ token: ShareToken });

const RecipientQuery = z.object({
  r: Id.optional()
    .catch(undefined)
    .describe('The token of a recipient’s personal link. Ignored if it is unknown or malformed.'),
});

const ViewQuery = RecipientQuery.extend({
  ...FirstFilesQuery.shape,
  from: z
    .string()
    .max(2_000)
    .optional()
    .catch(undefined)
    .describe(
      'The referrer of the download page. Its origin and path are recorded; ignored if it is too long.',
    ),
});

export const viewDownload = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token',
  access: 'public',
  summary: 'A transfer as its recipients see it',
  params: ShareParams,
  query: ViewQuery,
  compressible: true,
  response: DownloadView,
});

export const listDownloadFiles = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/files',
  access: 'public',
  summary: 'The files of a transfer, 1,000 per page, in order of their position',
  description:
    'Does not count as a view. Refused like a download: 423 for a locked transfer, 410 for an expired one.',
  params: ShareParams,
  query: FilesQuery,
  paged: true,
  compressible: true,
  response: z.array(TransferFile).max(FILES_PER_PAGE),
});

export const verifyDownload = defineEndpoint({
  method: 'POST',
  path: '/api/download/:token/verify',
  access: 'public',
  summary: 'Unlock a transfer with its password or its access key; sets a cookie for this transfer',
  description:
    'Send `password` for a transfer with a password, and `accessKey` for an end-to-end encrypted one, whose password never reaches the server.',
  params: ShareParams,
  query: RecipientQuery,
  body: z
    .object({
      password: z.string().min(1, 'Please enter the password').max(KIB).optional(),
      accessKey: z.optional(AccessKey),
    })
    .refine(({ password, accessKey }) => (password === undefined) !== (accessKey === undefined), {
      path: ['password'],
      message: 'Please enter the password',
    }),
  bodyLimit: 64 * KIB,
  response: 'empty',
});

export const getManifest = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/manifest',
  access: 'public',
  summary: 'The sealed manifest of an encrypted transfer: names, folders, title and message',
  description:
    'Same access rules as a download, but never counted. Its revision is in the header `Sendwell-Manifest-Revision`.',
  params: ShareParams,
  compressible: false,
  response: 'stream',
});

export const getPictures = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/pictures',
  access: 'public',
  summary: 'The sealed thumbnails of an encrypted transfer',
  description:
    'Like `getManifest`. Answers 404 if the sender stored none. Their revision is in the header `Sendwell-Pictures-Revision`.',
  params: ShareParams,
  compressible: false,
  response: 'stream',
});

export const downloadFile = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/file/:fileId',
  access: 'public',
  summary: 'One file',
  params: ShareParams.extend({ fileId: Id }),
  query: RecipientQuery,
  response: 'stream',
});

const ZipQuery = RecipientQuery.extend({
  format: z
    .enum(['zip', 'bag'])
    .optional()
    .describe(
      '`bag`: the zip contains a BagIt bag (RFC 8493) with the SHA-256 of every file. Answers 503 with `Retry-After` while a checksum is still being computed. Not for encrypted transfers.',
    ),
});

export const downloadAll = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/all',
  access: 'public',
  summary: 'All files as a zip',
  params: ShareParams,
  query: ZipQuery,
  response: 'stream',
});

export const downloadSelection = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/selection/:files',
  access: 'public',
  summary: 'Some of the files as a zip',
  description: 'Counts as one download of the transfer and one of each selected file.',
  params: ShareParams.extend({
    files: z
      .string()
      .describe(
        'The positions of the files, encoded as by `encodeSelection` in `contracts/transfers/downloads/selection.ts`.',
      ),
  }),
  query: ZipQuery,
  response: 'stream',
});

export const downloadChecksums = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/SHA256SUMS',
  access: 'public',
  summary: 'The SHA-256 of every file, as `sha256sum --check` reads it in the folder of the unpacked zip',
  description:
    'Answers 503 with `Retry-After` while a checksum is still being computed. Never counts as a download.',
  params: ShareParams,
  response: 'stream',
});

export const REOPEN_NOTE_MAX = 200;

export const askToReopen = defineEndpoint({
  method: 'POST',
  path: '/api/download/:token/reopen-requests',
  access: 'public',
  summary: 'Ask the sender to reopen an expired or used-up transfer',
  description:
    'Emails the owner at most once per transfer in 12 hours. The answer is the same if the owner was asked recently or does not want these emails.',
  params: ShareParams,
  body: z.strictObject({
    note: blankAsAbsent(textUpTo(REOPEN_NOTE_MAX)).describe('For the sender, who does not learn who asked.'),
  }),
  bodyLimit: 64 * KIB,
  response: 'empty',
});

export const REPORT_REASONS = ['malware', 'phishing', 'copyright', 'illegal', 'other'] as const;
export const REPORT_DETAILS_MAX = 2_000;

export const reportTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/download/:token/report',
  access: 'public',
  summary: 'Report a transfer as abuse',
  description:
    'Keeps one report per network address, transfer and day; repeated reports get the same answer.',
  params: ShareParams,
  body: z.object({
    reason: z.enum(REPORT_REASONS, 'Please choose a reason'),
    details: blankAsAbsent(textUpTo(REPORT_DETAILS_MAX)),
    email: blankAsAbsent(Email),
  }),
  bodyLimit: 64 * KIB,
  response: 'empty',
});
