import { z } from 'zod';
import { Email, Id, Instant, InstantInput, splitEmails, textUpTo, uniqueEmails } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import {
  MESSAGE_MAX,
  RECIPIENTS_MAX,
  TITLE_MAX,
  TRANSFER_PASSWORD_MAX,
  TRANSFER_PASSWORD_MIN,
} from './limits.ts';

/** At most 50 addresses, each once; a comma-separated text is taken as well as a list. */
export const RecipientEmails = z
  .union([z.string().transform(splitEmails), z.array(z.string()).transform(uniqueEmails)])
  .pipe(z.array(Email).max(RECIPIENTS_MAX, `Please enter at most ${RECIPIENTS_MAX} addresses`));

/** An empty text means "not set", as forms send it. */
function blankAsAbsent<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());
}

export const TransferPassword = z
  .string()
  .min(TRANSFER_PASSWORD_MIN, `Please use at least ${TRANSFER_PASSWORD_MIN} characters.`)
  .max(TRANSFER_PASSWORD_MAX, `Please use at most ${TRANSFER_PASSWORD_MAX} characters.`)
  .refine((password) => password.isWellFormed() && !password.includes('\0'), 'This password cannot be used.');

/** What a sender decides when a transfer is completed (specification sections 5 and 7). */
export const TransferSettings = z.object({
  title: blankAsAbsent(textUpTo(TITLE_MAX)),
  message: blankAsAbsent(textUpTo(MESSAGE_MAX)),
  recipientEmails: blankAsAbsent(RecipientEmails),
  /** Days to live; a wish outside 1 and the tier's retention is ignored. */
  expirationDays: blankAsAbsent(z.number()),
  /** An exact end; never later than the tier's retention. Takes precedence over expirationDays. */
  expiresAt: blankAsAbsent(InstantInput),
  scheduledAvailableAt: blankAsAbsent(InstantInput),
  password: blankAsAbsent(TransferPassword),
  maxDownloads: blankAsAbsent(z.int().min(1, 'The download limit must be at least 1').max(1_000_000_000)),
  autoDeleteAfterDownloads: blankAsAbsent(z.boolean()),
});
export type TransferSettings = z.infer<typeof TransferSettings>;

export const Transfer = z.object({
  id: z.string(),
  token: z.string(),
  title: z.string().nullable(),
  message: z.string().nullable(),
  recipientEmails: z.array(z.string()),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  scheduledAvailableAt: Instant.nullable(),
  isExpired: z.boolean(),
  isPasswordProtected: z.boolean(),
  downloadCount: z.int(),
  maxDownloads: z.int().nullable(),
  autoDeleteAfterDownloads: z.boolean(),
  fileCount: z.int(),
  /** Bytes of all files. */
  totalSize: z.int(),
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
});
export type TransferFile = z.infer<typeof TransferFile>;

export const RecentDownload = z.object({
  id: z.string(),
  downloadedAt: Instant,
  /** null: all files as a zip. */
  fileId: z.string().nullable(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
});
export type RecentDownload = z.infer<typeof RecentDownload>;

/** How many downloads the detail shows (specification section 9). */
export const RECENT_DOWNLOADS = 10;

export const TransferDetail = Transfer.extend({
  files: z.array(TransferFile),
  /** The most recent first, at most 10. */
  downloads: z.array(RecentDownload),
});
export type TransferDetail = z.infer<typeof TransferDetail>;

const TransferParams = z.object({ id: Id });

export const listTransfers = defineEndpoint({
  method: 'GET',
  path: '/api/transfers',
  access: 'signed-in',
  summary: "The caller's transfers, the newest first",
  response: z.array(Transfer),
});

export const getTransfer = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id',
  access: 'signed-in',
  summary: 'One transfer with its files and recent downloads',
  params: TransferParams,
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
  summary: 'Mail the share link again',
  params: TransferParams,
  body: z.object({
    recipientEmails: RecipientEmails.refine(
      (emails) => emails.length > 0,
      'Please enter at least one address',
    ),
  }),
  response: z.object({ sent: z.int() }),
});
