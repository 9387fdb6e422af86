import { z } from 'zod';
import { Email, Id, Instant, InstantInput, lineUpTo, splitEmails, textUpTo, uniqueEmails } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { FILES_PER_PAGE, FilesQuery } from './file-pages.ts';
import { HELD_FILES_SHOWN, OwnHeldFile } from './held-files.ts';
import {
  MESSAGE_MAX,
  RECIPIENTS_MAX,
  TITLE_MAX,
  TRANSFER_PASSWORD_MAX,
  TRANSFER_PASSWORD_MIN,
} from './limits.ts';
import { PreviewKind } from './previews.ts';
import { KIB } from './sizes.ts';

/** At most 50 addresses, each once; a comma-separated text is taken as well as a list. */
export const RecipientEmails = z
  .union([z.string().transform(splitEmails), z.array(z.string()).transform(uniqueEmails)])
  .pipe(z.array(Email).max(RECIPIENTS_MAX, `Please enter at most ${RECIPIENTS_MAX} addresses`));

/** An empty text means "not set", as forms send it. */
export function blankAsAbsent<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());
}

export const TransferPassword = z
  .string()
  .min(TRANSFER_PASSWORD_MIN, `Please use at least ${TRANSFER_PASSWORD_MIN} characters.`)
  .max(TRANSFER_PASSWORD_MAX, `Please use at most ${TRANSFER_PASSWORD_MAX} characters.`)
  .refine((password) => password.isWellFormed() && !password.includes('\0'), 'This password cannot be used.');

/** Bytes of a body with the longest message, names and recipients, every character escaped. */
export const SETTINGS_BODY_LIMIT = 128 * KIB;

type Passwords = { password?: unknown; plainPassword?: unknown };

const TWO_PASSWORDS = 'password and plainPassword are the same setting. Please send one password only.';

/**
 * The settings of a call. Clients send the password as `password` or as `plainPassword`, as sections 7 and 5 of the
 * specification call it. The result has `password` only. Two different passwords are refused, so that no transfer is
 * protected by another password than its sender expects.
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

/** What a sender decides when a transfer is completed (specification sections 5 and 7). */
export const TransferSettings = z.strictObject({
  title: blankAsAbsent(lineUpTo(TITLE_MAX)),
  message: blankAsAbsent(textUpTo(MESSAGE_MAX)),
  recipientEmails: blankAsAbsent(RecipientEmails),
  /** Days to live; a wish outside 1 and the tier's retention is ignored. */
  expirationDays: blankAsAbsent(z.number()),
  /** An exact end; never later than the tier's retention. Takes precedence over expirationDays. */
  expiresAt: blankAsAbsent(InstantInput),
  scheduledAvailableAt: blankAsAbsent(InstantInput),
  password: blankAsAbsent(TransferPassword),
  /** Another name of `password`. */
  plainPassword: blankAsAbsent(TransferPassword),
  maxDownloads: blankAsAbsent(z.int().min(1, 'The download limit must be at least 1').max(1_000_000_000)),
  autoDeleteAfterDownloads: blankAsAbsent(z.boolean()),
});
/** As `acceptPlainPassword` returns them. */
export type TransferSettings = Omit<z.infer<typeof TransferSettings>, 'plainPassword'>;

export const Transfer = z.object({
  id: z.string(),
  token: z.string(),
  title: z.string().nullable(),
  message: z.string().nullable(),
  /** Who sent it in through an invitation; null: it is the owner's own. */
  receivedFrom: z.string().nullable(),
  recipientEmails: z.array(z.string()),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  scheduledAvailableAt: Instant.nullable(),
  isExpired: z.boolean(),
  isPasswordProtected: z.boolean(),
  downloadCount: z.int(),
  maxDownloads: z.int().nullable(),
  /** Whether `maxDownloads` is used up. */
  isLimitReached: z.boolean(),
  autoDeleteAfterDownloads: z.boolean(),
  fileCount: z.int(),
  /** Bytes of all files. */
  totalSize: z.int(),
  /** Closed by an administrator to everybody but its owner, because it was reported. */
  isTakenDown: z.boolean(),
  /**
   * Why nobody can download it yet. `checking`: files are being scanned for malware, and mails to recipients wait for
   * that. `unscanned`: a file could not be scanned and waits for an administrator. `blocked`: a file is infected, or an
   * administrator has taken it down. `partial`: only files that were added later are checked or wait; the others can be
   * downloaded. null: nothing is against it.
   */
  scanState: z.enum(['checking', 'unscanned', 'partial', 'blocked']).nullable(),
});
export type Transfer = z.infer<typeof Transfer>;

export const TransferFile = z.object({
  id: z.string(),
  originalName: z.string(),
  /** Folder path with the name, '/'-separated. */
  relativePath: z.string(),
  mimeType: z.string(),
  /** Bytes. */
  size: z.int(),
  uploadedAt: Instant,
  downloadCount: z.int(),
  /** Its place, which it keeps; rises through the list, with gaps. Selections are made of it. */
  position: z.int(),
  /** Lower-case hex of the stored bytes; null while it is still being computed, and of a damaged file. */
  sha256: z.string().nullable(),
  /** The stored bytes are not those that were sent: the file cannot be downloaded any more. */
  isDamaged: z.boolean(),
  /** It waits for the virus scanner, or was held back by it: it cannot be downloaded yet. */
  isChecking: z.boolean(),
  /** How it can be looked at without downloading it; null when it cannot, or not yet. */
  preview: PreviewKind.nullable(),
  /** Whether there is a small picture of it. */
  thumbnail: z.boolean(),
});
export type TransferFile = z.infer<typeof TransferFile>;

export const RecentDownload = z.object({
  id: z.string(),
  downloadedAt: Instant,
  /** null: a zip. */
  fileId: z.string().nullable(),
  /** How many files were chosen for the zip; null for a single file and for all files. */
  selectedFiles: z.int().nullable(),
  ipAddress: z.string().nullable(),
  /** ISO 3166-1 alpha-2; null where the address is of no country. */
  country: z.string().nullable(),
  userAgent: z.string().nullable(),
  /** Whose own link it came by; null for the common link, and for who was taken off the list since. */
  recipientEmail: z.string().nullable(),
});
export type RecentDownload = z.infer<typeof RecentDownload>;

/** How many downloads the detail shows (specification section 9). */
export const RECENT_DOWNLOADS = 10;

/** What became of the mail to one recipient, and of the link in it. */
export const Recipient = z.object({
  id: z.string(),
  email: z.string(),
  /** null: none has been asked for yet, or its record is older than 90 days. */
  mail: z
    .object({
      state: z.enum(['queued', 'sent', 'failed']),
      /** Why it failed, or what the mail server said at the last try. */
      reason: z.string().nullable(),
      /** When it was sent, else when it was asked for. */
      at: Instant,
    })
    .nullable(),
  openedAt: Instant.nullable(),
  downloadedAt: Instant.nullable(),
});
export type Recipient = z.infer<typeof Recipient>;

export const TransferDetail = Transfer.extend({
  /** The first 1,000 by `position`. */
  files: z.array(TransferFile).max(FILES_PER_PAGE),
  /** The cursor of the page of files that follows; null when `files` are all. */
  nextFiles: z.string().nullable(),
  /** Files because of which nobody can download it, at most 100. */
  heldFiles: z.array(OwnHeldFile).max(HELD_FILES_SHOWN),
  /** In the order of `recipientEmails`. */
  recipients: z.array(Recipient),
  /** The most recent first, at most 10. */
  downloads: z.array(RecentDownload),
});
export type TransferDetail = z.infer<typeof TransferDetail>;

const TransferParams = z.object({ id: Id });

export const TRANSFER_SORTS = ['newest', 'oldest', 'expiry', 'size', 'downloads', 'title'] as const;
export type TransferSort = (typeof TRANSFER_SORTS)[number];
/** Each transfer is in one of them: expired, else its downloads are used up, else it can be downloaded. */
export const TRANSFER_STATES = ['active', 'limit-reached', 'expired'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];
export const TRANSFERS_PER_PAGE_MAX = 200;

/** Without a limit: all of them. With one, the header `Link: <…>; rel="next"` names the next page. */
export const ListTransfersQuery = z.object({
  /** In title, message, recipients and file names, without regard to case. */
  search: textUpTo(TITLE_MAX).optional(),
  sort: z.enum(TRANSFER_SORTS).optional(),
  state: z.enum(TRANSFER_STATES).optional(),
  limit: z.coerce.number().int().min(1).max(TRANSFERS_PER_PAGE_MAX).optional(),
  /** From the link to the next page. */
  cursor: z.string().max(1_000).optional(),
});

export const listTransfers = defineEndpoint({
  method: 'GET',
  path: '/api/transfers',
  access: 'signed-in',
  summary: "The caller's transfers, the newest first unless told",
  query: ListTransfersQuery,
  response: z.array(Transfer),
});

export const getTransfer = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'One transfer with its first 1,000 files and recent downloads',
  params: TransferParams,
  response: TransferDetail,
});

/** `Link: <…>; rel="next"` names the next page, if there is one. */
export const listTransferFiles = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/files',
  access: 'signed-in',
  summary: 'The files of one transfer, 1,000 per page, in order of their position',
  params: TransferParams,
  query: FilesQuery,
  response: z.array(TransferFile).max(FILES_PER_PAGE),
});

const NewTransferPassword = z.union([z.literal('').transform(() => null), TransferPassword]).nullish();

/** null or an empty text takes something away; what is absent stays as it is. */
export const UpdateTransferInput = z.strictObject({
  title: lineUpTo(TITLE_MAX).nullish(),
  message: textUpTo(MESSAGE_MAX).nullish(),
  recipientEmails: RecipientEmails.optional(),
  /** From now; at most the plan's retention. Extends, shortens, and opens an expired transfer again. */
  expirationDays: z
    .int()
    .min(1, 'Please give at least 1 day')
    .max(90, 'Please give at most 90 days')
    .optional(),
  /** An exact end; at most the plan's retention from now. Takes precedence over expirationDays. */
  expiresAt: blankAsAbsent(InstantInput),
  scheduledAvailableAt: InstantInput.nullish(),
  password: NewTransferPassword,
  /** Another name of `password`. */
  plainPassword: NewTransferPassword,
  maxDownloads: z.int().min(1, 'The download limit must be at least 1').max(1_000_000_000).nullish(),
  autoDeleteAfterDownloads: z.boolean().optional(),
});
export type UpdateTransferInput = Omit<z.infer<typeof UpdateTransferInput>, 'plainPassword'>;

export const updateTransfer = defineEndpoint({
  method: 'PATCH',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'Change what was decided when the transfer was sent; new recipients are mailed',
  params: TransferParams,
  body: acceptPlainPassword(UpdateTransferInput),
  bodyLimit: SETTINGS_BODY_LIMIT,
  response: TransferDetail,
});

export const deleteTransfer = defineEndpoint({
  method: 'DELETE',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'Delete a transfer and all its files',
  params: TransferParams,
  response: 'empty',
});

export const resendTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/resend',
  access: 'signed-in',
  idempotent: true,
  summary: 'Mail the share link again',
  params: TransferParams,
  body: z.strictObject({
    recipientEmails: RecipientEmails.refine(
      (emails) => emails.length > 0,
      'Please enter at least one address',
    ),
  }),
  response: z.object({ sent: z.int() }),
});
