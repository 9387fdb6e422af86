import { z } from 'zod';
import { AUTH_BODY_LIMIT } from '../../accounts/accounts.ts';
import { defineEndpoint } from '../../endpoint.ts';
import {
  INVITATION_DAYS_DEFAULT,
  INVITATION_DAYS_MAX,
  INVITATION_FILES_DEFAULT,
  INVITATION_TOTAL_FILES_MAX,
  MAX_FILE_BYTES,
  MAX_FILES_PER_TRANSFER,
  MESSAGE_MAX,
  TITLE_MAX,
} from '../../plans/limits.ts';
import { Email, Id, Instant, isStorableText, requiredText, textUpTo } from '../../values/fields.ts';
import { formatCount } from '../../values/format.ts';
import { formatSize } from '../../values/sizes.ts';
import { ENCRYPTION_VERSION } from '../encryption.ts';
import { blankAsAbsent } from '../transfers.ts';

/** Without the dot, lower case: 'pdf', 'tar.gz'. */
export const FileType = z
  .string()
  .trim()
  .transform((text) => text.replace(/^\*?\./, '').toLowerCase())
  .pipe(
    z.string().regex(/^[a-z0-9]{1,15}(?:\.[a-z0-9]{1,15})?$/, 'Please enter file types like pdf, jpg, docx'),
  );

function splitTypes(text: string): string[] {
  return text.split(/[,;\s]+/).filter(Boolean);
}

/** A list or comma-separated text, without duplicates. Empty: any type. */
export const AllowedTypes = z
  .union([z.string().transform(splitTypes), z.array(z.string())])
  .pipe(z.array(FileType).max(50, 'Please enter at most 50 file types'))
  .transform((types) => [...new Set(types)]);

const Bytes = z.int().min(1, 'The limit must be at least 1 byte').max(MAX_FILE_BYTES);
const Files = z
  .int()
  .min(1, 'Please allow at least 1 file')
  .max(MAX_FILES_PER_TRANSFER, `A transfer holds at most ${formatCount(MAX_FILES_PER_TRANSFER)} files.`);
const TotalFiles = z
  .int('Please enter a whole number')
  .min(1, 'Please allow at least 1 file')
  .max(INVITATION_TOTAL_FILES_MAX, `Please allow at most ${formatCount(INVITATION_TOTAL_FILES_MAX)} files.`)
  .nullish()
  .describe('Files of all visitors together. Null: no limit.');
const TotalBytes = Bytes.nullish().describe('Bytes of all visitors together. Null: no limit.');
const Encryption = z.literal(ENCRYPTION_VERSION).nullable();
const ExpirationDays = z
  .int('Please enter a whole number of days')
  .min(1, 'Please enter at least 1 day')
  .max(INVITATION_DAYS_MAX, `Please enter at most ${INVITATION_DAYS_MAX} days`);

export const CreateInvitationInput = z
  .strictObject({
    title: requiredText(TITLE_MAX, 'Title is required'),
    message: blankAsAbsent(textUpTo(MESSAGE_MAX)),
    expirationDays: ExpirationDays.default(INVITATION_DAYS_DEFAULT),
    maxFileSize: Bytes.nullish().describe(
      'Bytes per file. Null: what the sender’s plan allows per transfer.',
    ),
    maxTotalSize: Bytes.nullish().describe(
      'Bytes of all files of a visitor. Null: what the sender’s plan allows per transfer.',
    ),
    maxFiles: Files.default(INVITATION_FILES_DEFAULT).describe('Files of a visitor.'),
    totalFilesLimit: TotalFiles,
    totalBytesLimit: TotalBytes,
    allowedTypes: AllowedTypes.optional(),
    isRecurring: z
      .boolean()
      .default(false)
      .describe(
        'Whether `maxFiles` and `maxTotalSize` apply to each visit separately, not to each visitor’s verified address.',
      ),
    encryption: Encryption.optional().describe(
      'Accepts only files that are end-to-end encrypted for you. Cannot be changed later. Create a key pair, and add its public key to the link yourself: the server must not see it (docs/formats/e2ee.md).',
    ),
  })
  .describe('An invitation to upload files.');
export type CreateInvitationInput = z.infer<typeof CreateInvitationInput>;

export const UpdateInvitationInput = z
  .strictObject({
    title: requiredText(TITLE_MAX, 'Title is required').optional(),
    message: textUpTo(MESSAGE_MAX).nullish(),
    expirationDays: ExpirationDays.optional().describe('Days from now.'),
    maxFileSize: Bytes.nullish(),
    maxTotalSize: Bytes.nullish(),
    maxFiles: Files.optional(),
    totalFilesLimit: TotalFiles,
    totalBytesLimit: TotalBytes,
    allowedTypes: AllowedTypes.optional(),
    isRecurring: z.boolean().optional(),
  })
  .describe('Omitted fields stay as they are; null or an empty text removes the value.');
export type UpdateInvitationInput = z.infer<typeof UpdateInvitationInput>;

export const Invitation = z
  .object({
    id: z.string(),
    token: z.string(),
    title: z.string(),
    message: z.string().nullable(),
    expiresAt: Instant,
    createdAt: Instant,
    isActive: z.boolean(),
    isExpired: z.boolean(),
    isRecurring: z.boolean(),
    maxFileSize: z.int().describe('Bytes per file. The plan’s limit unless the owner set one.'),
    maxTotalSize: z
      .int()
      .describe(
        'Bytes of all files of a visitor, in each visit if recurring. The plan’s limit unless the owner set one.',
      ),
    maxFiles: z.int().describe('Files of a visitor, in each visit if recurring.'),
    totalFilesLimit: z.int().nullable().describe('Files of all visitors together. Null: no limit.'),
    totalBytesLimit: z.int().nullable().describe('Bytes of all visitors together. Null: no limit.'),
    hasOwnFileSize: z
      .boolean()
      .describe('Whether the owner set `maxFileSize`; otherwise it follows the plan.'),
    hasOwnTotalSize: z
      .boolean()
      .describe('Whether the owner set `maxTotalSize`; otherwise it follows the plan.'),
    allowedTypes: z
      .array(z.string())
      .describe(
        'File name endings without the dot. Empty: any type. If `encryption` is set, only the visitor’s client can check them.',
      ),
    encryption: Encryption.describe('Set if it accepts only end-to-end encrypted files.'),
    arrivals: z
      .object({ transfers: z.int(), files: z.int(), bytes: z.int() })
      .describe('What arrived and still exists.'),
    usedFiles: z.int().describe('Files of all visitors: arrived or being uploaded.'),
    usedBytes: z.int().describe('Bytes of all visitors: arrived or being uploaded.'),
  })
  .describe('An invitation as its owner sees it.');
export type Invitation = z.infer<typeof Invitation>;

const InvitationParams = z.object({ id: Id });

export const listInvitations = defineEndpoint({
  method: 'GET',
  path: '/api/upload-invitations',
  access: 'signed-in',
  summary: "The caller's upload invitations, newest first (Premium)",
  response: z.array(Invitation),
});

export const createInvitation = defineEndpoint({
  method: 'POST',
  path: '/api/upload-invitations',
  access: 'signed-in',
  idempotent: true,
  summary: 'Invite others to upload files to you (Premium)',
  body: CreateInvitationInput,
  response: Invitation,
  status: 201,
});

export const updateInvitation = defineEndpoint({
  method: 'PATCH',
  path: '/api/upload-invitations/:id',
  access: 'signed-in',
  summary: 'Change an invitation',
  params: InvitationParams,
  body: UpdateInvitationInput,
  response: Invitation,
});

export const toggleInvitation = defineEndpoint({
  method: 'PATCH',
  path: '/api/upload-invitations/:id/toggle',
  access: 'signed-in',
  summary: 'Open or close an invitation; closing takes effect immediately, also for running uploads',
  params: InvitationParams,
  body: z.strictObject({ isActive: z.boolean() }),
  response: Invitation,
});

export const deleteInvitation = defineEndpoint({
  method: 'DELETE',
  path: '/api/upload-invitations/:id',
  access: 'signed-in',
  summary: 'Delete an invitation; what arrived through it stays',
  params: InvitationParams,
  response: 'empty',
});

export const Arrival = z
  .object({
    transferId: z.string(),
    receivedFrom: z.string(),
    message: z.string().nullable(),
    encryption: Encryption.describe('Set if it is end-to-end encrypted. Then `message` is null here.'),
    fileCount: z.int(),
    totalSize: z.int().describe('Bytes.'),
    arrivedAt: Instant,
    isExpired: z.boolean(),
  })
  .describe('A transfer that arrived through an invitation. It belongs to the owner of the invitation.');
export type Arrival = z.infer<typeof Arrival>;

export const listArrivals = defineEndpoint({
  method: 'GET',
  path: '/api/upload-invitations/:id/arrivals',
  access: 'signed-in',
  summary: 'Transfers that arrived through an invitation, newest first, at most 200',
  params: InvitationParams,
  response: z.array(Arrival),
});

const VisitorParams = z.object({ token: Id });

export const InvitationDetails = z
  .object({
    title: z.string(),
    senderName: z.string(),
    message: z.string().nullable(),
    maxFileSize: z.int().describe('Bytes per file.'),
    maxFiles: z.int().describe('Files of a visitor.'),
    maxTotalSize: z.int().describe('Bytes of all files of a visitor.'),
    remaining: z
      .object({ files: z.int(), bytes: z.int() })
      .describe(
        'What is left for this visitor, or for a new one if no address is verified. Limits for all visitors together count, too.',
      ),
    allowedTypes: z.array(z.string()).describe('File name endings without the dot. Empty: any type.'),
    encryption: z
      .object({ version: z.literal(ENCRYPTION_VERSION), invitationId: z.string() })
      .nullable()
      .describe(
        'Set if it accepts only end-to-end encrypted files. The public key to seal their keys with is in the fragment of its link. Sizes are those of encrypted files, and the client checks `allowedTypes`.',
      ),
    expiresAt: Instant,
    visitor: z
      .object({ email: z.string() })
      .nullable()
      .describe(
        'The visitor whose address this browser verified within the last hour. Null if there is none.',
      ),
  })
  .describe('An invitation as its visitors see it.');
export type InvitationDetails = z.infer<typeof InvitationDetails>;

export const getInvitationDetails = defineEndpoint({
  method: 'GET',
  path: '/api/upload-invitations/:token/details',
  access: 'public',
  summary: 'An invitation as its visitors see it',
  params: VisitorParams,
  response: InvitationDetails,
});

export const sendInvitationCode = defineEndpoint({
  method: 'POST',
  path: '/api/upload-invitations/:token/send-verification',
  access: 'public',
  summary: "Email a 6-digit code to a visitor's address",
  params: VisitorParams,
  body: z.object({ email: Email }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: z.object({ expiresInMinutes: z.int() }),
  status: 202,
});

export const VisitorCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'Please enter the 6-digit code');

export const verifyInvitationCode = defineEndpoint({
  method: 'POST',
  path: '/api/upload-invitations/:token/verify',
  access: 'public',
  summary: 'Verify an address with its code; a cookie then allows uploads for an hour',
  params: VisitorParams,
  body: z.object({ email: Email, code: VisitorCode }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: z.object({ email: z.string() }),
});

export const ReceivedFile = z
  .object({
    name: z.string().refine(isStorableText),
    size: z.int().describe('Bytes.'),
  })
  .describe('A file that has arrived, as its visitor sees it.');

export const uploadToInvitation = defineEndpoint({
  method: 'POST',
  path: '/api/upload-invitations/:token/upload',
  access: 'public',
  summary: 'Send files in one form (repeated field `files`), for small clients; all of them or none',
  description: 'Encrypted invitations refuse it with `must_be_encrypted`.',
  params: VisitorParams,
  body: 'stream',
  response: z.object({ files: z.array(ReceivedFile), totalSize: z.int() }),
  status: 201,
});

export type InvitationLimits = {
  maxFileSize: number;
  /** Of a visitor, in each visit if the invitation is recurring. */
  maxTotalSize: number;
  maxFiles: number;
  /** Without the dot; empty: any. */
  allowedTypes: string[];
};

export type InvitedFile = { name: string; sizeBytes: number };

/** The error code and details of the refusal. */
export type InvitationBreach = {
  code:
    | 'invited_file_too_large'
    | 'file_type_not_allowed'
    | 'too_many_invited_files'
    | 'invited_total_exceeded';
  details: Record<string, string | number>;
};

/**
 * Returns the first rule that these files break, including the visitor's earlier uploads; the whole selection is then refused. The
 * page checks before it uploads, and the server checks again.
 */
export function findInvitationBreach(
  files: readonly InvitedFile[],
  { maxFileSize, maxTotalSize, maxFiles, allowedTypes }: InvitationLimits,
  used = { files: 0, bytes: 0 },
): InvitationBreach | undefined {
  for (const { name, sizeBytes } of files) {
    if (sizeBytes > maxFileSize)
      return { code: 'invited_file_too_large', details: { name, size: formatSize(maxFileSize) } };
    if (!isAllowedType(name, allowedTypes))
      return { code: 'file_type_not_allowed', details: { name, types: allowedTypes.join(', ') } };
  }
  if (used.files + files.length > maxFiles)
    return { code: 'too_many_invited_files', details: { count: maxFiles } };
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, used.bytes);
  if (bytes > maxTotalSize)
    return { code: 'invited_total_exceeded', details: { size: formatSize(maxTotalSize) } };
  return undefined;
}

function isAllowedType(name: string, allowedTypes: string[]): boolean {
  const lower = name.toLowerCase();
  return allowedTypes.length === 0 || allowedTypes.some((type) => lower.endsWith(`.${type}`));
}
