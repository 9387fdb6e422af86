import { z } from 'zod';
import { Email, Id, Instant, ShareToken, textUpTo } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { FILES_PER_PAGE, FilesQuery } from './file-pages.ts';
import { KIB } from './sizes.ts';
import { blankAsAbsent, TransferFile } from './transfers.ts';

/**
 * What anyone holding the link may see (specification section 2, decisions "Downloads"). A locked transfer
 * shows only `isPasswordProtected` and `unlocked`, an expired one only `isExpired`, one that is being scanned only
 * `isChecking`, one that is not yet available no file names: hence nearly all is optional.
 */
export const DownloadView = z.object({
  isPasswordProtected: z.boolean().optional(),
  unlocked: z.boolean().optional(),
  isExpired: z.boolean().optional(),
  /** true while its files are scanned for malware; then there is nothing else. Ask again in some seconds. */
  isChecking: z.boolean().optional(),
  /** Set while the scheduled time has not come. */
  availableAt: Instant.optional(),
  title: z.string().nullish(),
  message: z.string().nullish(),
  createdAt: Instant.optional(),
  expiresAt: Instant.nullish(),
  scheduledAvailableAt: Instant.nullish(),
  downloadCount: z.int().optional(),
  maxDownloads: z.int().nullish(),
  fileCount: z.int().optional(),
  /** Bytes of all files. */
  totalSize: z.int().optional(),
  /** Bytes of the zip of all files. */
  zipSize: z.int().optional(),
  /** The first 1,000 by `position`. */
  files: z.array(TransferFile).max(FILES_PER_PAGE).optional(),
  /** The cursor of the page of files that follows; null when `files` are all. */
  nextFiles: z.string().nullish(),
  /** Whether any of all the files is damaged: there is no zip of all of them then. */
  hasDamagedFiles: z.boolean().optional(),
});
export type DownloadView = z.infer<typeof DownloadView>;

const ShareParams = z.object({ token: ShareToken });

/** `r` is the token of a recipient's own link; one that is unknown, or no token at all, is ignored. */
const RecipientQuery = z.object({ r: Id.optional().catch(undefined) });

/** `from` is the page's own referrer: that of the call is the page. Noted as origin and path; ignored if too long. */
const ViewQuery = RecipientQuery.extend({ from: z.string().max(2_000).optional().catch(undefined) });

export const viewDownload = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token',
  access: 'public',
  summary: 'A transfer as its recipients see it',
  params: ShareParams,
  query: ViewQuery,
  response: DownloadView,
});

/**
 * Not counted as a view. Refused as a download would be: a locked transfer with 423, an expired one with 410.
 * `Link: <…>; rel="next"` names the next page, if there is one.
 */
export const listDownloadFiles = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/files',
  access: 'public',
  summary: 'The files of a transfer, 1,000 per page, in order of their position',
  params: ShareParams,
  query: FilesQuery,
  response: z.array(TransferFile).max(FILES_PER_PAGE),
});

export const verifyDownload = defineEndpoint({
  method: 'POST',
  path: '/api/download/:token/verify',
  access: 'public',
  summary: 'Unlock a transfer with its password; sets a cookie for this transfer',
  params: ShareParams,
  query: RecipientQuery,
  body: z.object({ password: z.string().min(1, 'Please enter the password').max(KIB) }),
  bodyLimit: 64 * KIB,
  response: 'empty',
});

export const downloadFile = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/file/:fileId',
  access: 'public',
  summary: 'One file; answers Range requests',
  params: ShareParams.extend({ fileId: Id }),
  query: RecipientQuery,
  response: 'stream',
});

export const downloadAll = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/all',
  access: 'public',
  summary: 'All files as a zip; answers Range requests',
  params: ShareParams,
  query: RecipientQuery,
  response: 'stream',
});

/** `files` is what `encodeSelection` says; counts as one download of the transfer and one of each file in it. */
export const downloadSelection = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/selection/:files',
  access: 'public',
  summary: 'Some of the files as a zip; answers Range requests',
  params: ShareParams.extend({ files: z.string() }),
  query: RecipientQuery,
  response: 'stream',
});

/** 503 with Retry-After while one of them is still being computed. Never counted. */
export const downloadChecksums = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/SHA256SUMS',
  access: 'public',
  summary: 'The SHA-256 of every file, as `sha256sum --check` reads it in the folder of the unpacked zip',
  params: ShareParams,
  response: 'stream',
});

export const REPORT_REASONS = ['malware', 'phishing', 'copyright', 'illegal', 'other'] as const;
export const REPORT_DETAILS_MAX = 2_000;

/** One report per address and day is kept of a transfer; a repetition is answered the same. */
export const reportTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/download/:token/report',
  access: 'public',
  summary: 'Report a transfer as abuse',
  params: ShareParams,
  body: z.object({
    reason: z.enum(REPORT_REASONS, 'Please choose a reason'),
    details: blankAsAbsent(textUpTo(REPORT_DETAILS_MAX)),
    email: blankAsAbsent(Email),
  }),
  bodyLimit: 64 * KIB,
  response: 'empty',
});
