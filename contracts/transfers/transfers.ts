import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  MESSAGE_MAX,
  RECIPIENTS_MAX,
  TITLE_MAX,
  TRANSFER_PASSWORD_MAX,
  TRANSFER_PASSWORD_MIN,
} from '../plans/limits.ts';
import { SECOND_MS } from '../values/durations.ts';
import {
  Email,
  Id,
  Instant,
  InstantInput,
  lineUpTo,
  splitEmails,
  textUpTo,
  uniqueEmails,
} from '../values/fields.ts';
import { FILES_PER_PAGE } from '../values/paging.ts';
import { KIB } from '../values/sizes.ts';
import { PreviewKind } from './downloads/previews.ts';
import { ENCRYPTION_VERSION, EncryptionParams, SealedKey } from './encryption.ts';
import { FilesQuery, FirstFilesQuery } from './file-queries.ts';
import { HELD_FILES_SHOWN, OwnHeldFile } from './held-files.ts';

/** A list or comma-separated text, without duplicates. */
export const RecipientEmails = z
  .union([z.string().transform(splitEmails), z.array(z.string()).transform(uniqueEmails)])
  .pipe(z.array(Email).max(RECIPIENTS_MAX, `Please enter at most ${RECIPIENTS_MAX} addresses`));

/** Forms send an empty text for "not set". */
export function blankAsAbsent<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());
}

export const TransferPassword = z
  .string()
  .min(TRANSFER_PASSWORD_MIN, `Please use at least ${TRANSFER_PASSWORD_MIN} characters.`)
  .max(TRANSFER_PASSWORD_MAX, `Please use at most ${TRANSFER_PASSWORD_MAX} characters.`)
  .refine((password) => password.isWellFormed() && !password.includes('\0'), 'This password cannot be used.');

/** Bytes. Fits the longest message, names and recipients with every character escaped. */
export const SETTINGS_BODY_LIMIT = 128 * KIB;

type Passwords = { password?: unknown; plainPassword?: unknown };

const TWO_PASSWORDS = 'password and plainPassword are the same setting. Please send one password only.';

/**
 * Accepts the password as `password` or `plainPassword`; the result has `password` only. Rejects two different
 * passwords, because the sender could expect either.
 */
export function acceptPlainPassword<Output extends Passwords, Input>(
  settings: z.ZodType<Output, Input>,
): z.ZodType<Omit<Output, 'plainPassword'>, Input> {
  return settings.transform((both, context) => {
    const { plainPassword, ...rest } = both;
    if (plainPassword === undefined) return rest;
    if (both.password !== undefined && both.password !== plainPassword)
      context.addIssue({ code: 'custom', path: ['plainPassword'], message: TWO_PASSWORDS });
    return { ...rest, password: plainPassword };
  });
}

export const TransferSettings = z.strictObject({
  title: blankAsAbsent(lineUpTo(TITLE_MAX)),
  message: blankAsAbsent(textUpTo(MESSAGE_MAX)),
  recipientEmails: blankAsAbsent(RecipientEmails),
  expirationDays: blankAsAbsent(z.number()).describe(
    'Days until the transfer expires. Values below 1 or above the plan’s retention are ignored.',
  ),
  expiresAt: blankAsAbsent(InstantInput).describe(
    'The exact time of expiry, at most the plan’s retention from now. Takes precedence over `expirationDays`.',
  ),
  scheduledAvailableAt: blankAsAbsent(InstantInput),
  password: blankAsAbsent(TransferPassword),
  plainPassword: blankAsAbsent(TransferPassword).describe('Alias of `password`.'),
  maxDownloads: blankAsAbsent(z.int().min(1, 'The download limit must be at least 1').max(1_000_000_000)),
  autoDeleteAfterDownloads: blankAsAbsent(z.boolean()),
});
/** The result of `acceptPlainPassword`. */
export type TransferSettings = Omit<z.infer<typeof TransferSettings>, 'plainPassword'>;

export const FirstFileName = z
  .string()
  .nullable()
  .describe('The name of the first file of an untitled transfer. Null if it has a title, or no files.');

/** For lists that only name transfers. */
export const EncryptionVersion = z
  .literal(ENCRYPTION_VERSION)
  .nullable()
  .describe('Set for an end-to-end encrypted transfer, whose names only its sender and recipients know.');

export const ReceivedKey = z
  .object({ invitationId: z.string(), sealedKey: SealedKey })
  .describe(
    'The key of the link, sealed for the inbox of an invitation. Only its private key opens it; see docs/formats/e2ee.md.',
  );
export type ReceivedKey = z.infer<typeof ReceivedKey>;

export const Transfer = z.object({
  id: z.string(),
  token: z.string(),
  status: z
    .enum(['arriving', 'ready'])
    .describe('`arriving`: the link works, although files are still being uploaded.'),
  title: z.string().nullable(),
  firstFileName: FirstFileName,
  message: z.string().nullable(),
  receivedFrom: z
    .string()
    .nullable()
    .describe(
      'Email address of the visitor who uploaded it through an invitation. Null if the owner sent it.',
    ),
  recipientEmails: z.array(z.string()),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  scheduledAvailableAt: Instant.nullable(),
  isExpired: z.boolean(),
  isPasswordProtected: z.boolean(),
  encryption: z
    .nullable(EncryptionParams)
    .describe(
      'Set for an end-to-end encrypted transfer: it has no title and no message here, and its files have ids instead of names. `getOwnManifest` returns them sealed.',
    ),
  receivedKey: ReceivedKey.nullable().describe(
    'Set for an encrypted transfer that a visitor uploaded. The server cannot open it.',
  ),
  downloadCount: z.int(),
  maxDownloads: z.int().nullable(),
  isLimitReached: z.boolean().describe('Whether `maxDownloads` is used up.'),
  autoDeleteAfterDownloads: z.boolean(),
  fileCount: z.int().describe('While it is arriving: announced files.'),
  totalSize: z.int().describe('Bytes of all files.'),
  version: z.int().describe('1 until the first update. See `listVersions`.'),
  isTakenDown: z
    .boolean()
    .describe('Whether an administrator closed it to everybody but its owner after a report.'),
  scanState: z
    .enum(['checking', 'unscanned', 'partial', 'blocked'])
    .nullable()
    .describe(
      'Why it cannot be downloaded yet. `checking`: files are being scanned for malware; emails to recipients wait for it. `unscanned`: a file could not be scanned and waits for an administrator. `blocked`: a file is infected, or an administrator took it down. `partial`: only files that were added later are checked or wait. Null if nothing prevents downloads.',
    ),
});
export type Transfer = z.infer<typeof Transfer>;

export const ListedTransfer = Transfer.extend({
  firstFileId: z.string().nullable().describe('The first file. Null if there is none.'),
  thumbnailFileId: z
    .string()
    .nullable()
    .describe(
      'The first of the first 10 files that has a thumbnail. Null if none has, or the plan has no previews.',
    ),
  recipientsDownloaded: z
    .int()
    .describe('How many of the recipients have downloaded something through the link in their email.'),
});
export type ListedTransfer = z.infer<typeof ListedTransfer>;

export const TransferFile = z.object({
  id: z.string(),
  originalName: z.string(),
  relativePath: z.string().describe('Folders and file name, separated by `/`.'),
  mimeType: z.string(),
  size: z.int().describe('Bytes.'),
  uploadedAt: Instant,
  modifiedAt: Instant.nullable().describe(
    'When the file was last modified on the sender’s computer. Null if unknown, and for encrypted files.',
  ),
  isExecutable: z.boolean().describe('Whether the file was executable on the sender’s computer.'),
  downloadCount: z.int(),
  position: z
    .int()
    .describe('Identifies the file in selections. Never changes; increases along the list, with gaps.'),
  sha256: z
    .string()
    .nullable()
    .describe(
      'SHA-256 of the stored bytes in lower-case hex. Null while it is being computed, and for a damaged file.',
    ),
  isDamaged: z
    .boolean()
    .describe('Whether the stored bytes differ from what was sent. A damaged file cannot be downloaded.'),
  isChecking: z
    .boolean()
    .describe('Whether the virus scanner has not cleared it yet. If so, it cannot be downloaded.'),
  preview: PreviewKind.nullable().describe(
    'How the file can be viewed without downloading it. Null if it cannot be, or not yet.',
  ),
  thumbnail: z.boolean().describe('Whether there is a thumbnail.'),
  state: z
    .enum(['here', 'arriving'])
    .optional()
    .describe('Only in a transfer that is still arriving. `arriving`: not all bytes have arrived.'),
  receivedBytes: z.int().optional().describe('With `state`: how many bytes the server has stored.'),
});
export type TransferFile = z.infer<typeof TransferFile>;

export const RecentDownload = z.object({
  id: z.string(),
  downloadedAt: Instant,
  fileId: z.string().nullable().describe('Null for a zip.'),
  selectedFiles: z
    .int()
    .nullable()
    .describe('Number of files selected for the zip. Null for a single file and for all files.'),
  ipAddress: z.string().nullable(),
  country: z.string().nullable().describe('ISO 3166-1 alpha-2 code. Null if unknown.'),
  userAgent: z.string().nullable(),
  recipientEmail: z
    .string()
    .nullable()
    .describe(
      'The recipient whose personal link was used. Null for the shared link, and if the recipient was removed since.',
    ),
});
export type RecentDownload = z.infer<typeof RecentDownload>;

export const RECENT_DOWNLOADS = 10;

export const Recipient = z
  .object({
    id: z.string(),
    email: z.string(),
    mail: z
      .object({
        state: z.enum(['queued', 'sent', 'failed']),
        reason: z
          .string()
          .nullable()
          .describe('Why it failed, or what the mail server answered at the last attempt.'),
        at: Instant.describe('When it was sent, or else requested.'),
      })
      .nullable()
      .describe('Null if no email was requested yet, or its record is older than 90 days.'),
    openedAt: Instant.nullable(),
    downloadedAt: Instant.nullable(),
  })
  .describe('What happened to the email to one recipient and to the link in it.');
export type Recipient = z.infer<typeof Recipient>;

export const TransferDetail = Transfer.extend({
  files: z.array(TransferFile).max(FILES_PER_PAGE).describe('The first 1,000 by `position`.'),
  nextFiles: z.string().nullable().describe('Cursor of the next page of files. Null if `files` is complete.'),
  heldFiles: z
    .array(OwnHeldFile)
    .max(HELD_FILES_SHOWN)
    .describe('Files that prevent downloads, at most 100.'),
  recipients: z.array(Recipient).describe('In the order of `recipientEmails`.'),
  downloads: z.array(RecentDownload).describe('Most recent first, at most 10.'),
});
export type TransferDetail = z.infer<typeof TransferDetail>;

const TransferParams = z.object({ id: Id });

export const TRANSFER_SORTS = ['newest', 'oldest', 'expiry', 'size', 'downloads', 'title'] as const;
export type TransferSort = (typeof TRANSFER_SORTS)[number];
/** Mutually exclusive: expired, else limit reached, else active. */
export const TRANSFER_STATES = ['active', 'limit-reached', 'expired'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];
/** Received: uploaded by a visitor through an invitation. */
export const TRANSFER_ORIGINS = ['sent', 'received'] as const;
export type TransferOrigin = (typeof TRANSFER_ORIGINS)[number];
export const TRANSFERS_PER_PAGE_MAX = 1_000;

export const ListTransfersQuery = z.object({
  search: textUpTo(TITLE_MAX)
    .optional()
    .describe('Searches titles, messages, recipients and file names, ignoring case.'),
  sort: z.enum(TRANSFER_SORTS).optional(),
  state: z.enum(TRANSFER_STATES).optional(),
  origin: z.enum(TRANSFER_ORIGINS).optional().describe('Both by default.'),
  limit: z.coerce.number().int().min(1).max(TRANSFERS_PER_PAGE_MAX).optional(),
  cursor: z.string().max(1_000).optional().describe('Taken from the link to the next page.'),
});

export const listTransfers = defineEndpoint({
  method: 'GET',
  path: '/api/transfers',
  access: 'signed-in',
  summary: "The caller's transfers, newest first by default",
  description: 'Pages have 1,000 transfers by default.',
  query: ListTransfersQuery,
  paged: true,
  response: z.array(ListedTransfer),
});

export const getTransfer = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'One transfer with its first 1,000 files and recent downloads',
  params: TransferParams,
  query: FirstFilesQuery,
  response: TransferDetail,
});

export const listTransferFiles = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files',
  access: 'signed-in',
  summary: 'The files of one transfer, 1,000 per page, in order of their position',
  params: TransferParams,
  query: FilesQuery,
  paged: true,
  response: z.array(TransferFile).max(FILES_PER_PAGE),
});

export const getOwnManifest = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/manifest',
  access: 'signed-in',
  summary: 'The sealed manifest of one of your own encrypted transfers',
  description: 'Its revision is in the header `Sendwell-Manifest-Revision`.',
  params: TransferParams,
  compressible: false,
  response: 'stream',
});

export const getOwnPictures = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/pictures',
  access: 'signed-in',
  summary: 'The sealed thumbnails of one of your own encrypted transfers',
  description: 'Their revision is in the header `Sendwell-Pictures-Revision`.',
  params: TransferParams,
  compressible: false,
  response: 'stream',
});

const NewTransferPassword = z.union([z.literal('').transform(() => null), TransferPassword]).nullish();

export const ExpirationDaysFromNow = z
  .int()
  .min(1, 'Please enter at least 1 day')
  .max(90, 'Please enter at most 90 days')
  .describe(
    'Days from now, at most the plan’s retention. Extends or shortens the transfer, and reopens an expired one.',
  );

export const UpdateTransferInput = z
  .strictObject({
    title: lineUpTo(TITLE_MAX).nullish(),
    message: textUpTo(MESSAGE_MAX).nullish(),
    recipientEmails: RecipientEmails.optional(),
    expirationDays: ExpirationDaysFromNow.optional(),
    expiresAt: blankAsAbsent(InstantInput).describe(
      'The exact time of expiry, at most the plan’s retention from now. Takes precedence over `expirationDays`.',
    ),
    scheduledAvailableAt: InstantInput.nullish(),
    password: NewTransferPassword,
    plainPassword: NewTransferPassword.describe('Alias of `password`.'),
    maxDownloads: z.int().min(1, 'The download limit must be at least 1').max(1_000_000_000).nullish(),
    autoDeleteAfterDownloads: z.boolean().optional(),
  })
  .describe('Omitted fields stay as they are; null or an empty text removes the value.');
export type UpdateTransferInput = Omit<z.infer<typeof UpdateTransferInput>, 'plainPassword'>;

export const updateTransfer = defineEndpoint({
  method: 'PATCH',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'Change the settings of a transfer; new recipients get an email',
  params: TransferParams,
  body: acceptPlainPassword(UpdateTransferInput),
  bodyLimit: SETTINGS_BODY_LIMIT,
  response: TransferDetail,
});

/** How long the pages offer to undo a deletion. */
export const UNDO_MS = 10 * SECOND_MS;

export const Undoable = z
  .boolean()
  .default(false)
  .describe(
    'Whether the deletion can be undone for 10 seconds. It is unreachable at once either way; without it, the data is destroyed immediately.',
  );

export const deleteTransfer = defineEndpoint({
  method: 'DELETE',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'Delete a transfer and all its files',
  params: TransferParams,
  query: z.object({
    undoable: z
      .enum(['true', 'false'])
      .optional()
      .describe('Whether the deletion can be undone for 10 seconds.'),
  }),
  response: 'empty',
});

export const restoreTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/restore',
  access: 'signed-in',
  summary: 'Bring back a transfer that was deleted with `undoable` within the last 10 seconds',
  description:
    'The link, the downloads and the recipients are as they were. Answers 410 once the time is over.',
  params: TransferParams,
  response: 'empty',
});

export const resendTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/resend',
  access: 'signed-in',
  idempotent: true,
  summary: 'Email the share link again',
  params: TransferParams,
  body: z.strictObject({
    recipientEmails: RecipientEmails.refine(
      (emails) => emails.length > 0,
      'Please enter at least one address',
    ),
  }),
  response: z.object({ sent: z.int() }),
});
