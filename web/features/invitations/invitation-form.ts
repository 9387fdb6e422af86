import { t } from '@lingui/core/macro';
import {
  INVITATION_DAYS_DEFAULT,
  INVITATION_FILES_DEFAULT,
  TITLE_MAX,
} from '../../../contracts/plans/limits.ts';
import { CreateInvitationInput, type Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { formatSize, parseSize, toSizeText } from '../../../contracts/values/sizes.ts';
import type { FormErrors } from '../../api/forms/field-errors.ts';
import { translateSentence } from '../../lib/language/sentences.ts';

/** An invitation as typed. Empty limits follow the plan. */
export type InvitationForm = {
  title: string;
  message: string;
  /** From now. Empty keeps the expiry of an existing invitation. */
  expirationDays: string;
  maxFileSize: string;
  maxTotalSize: string;
  maxFiles: string;
  allowedTypes: string;
  isRecurring: boolean;
  /** Only for a new one. The plan may decide it. */
  isEncrypted: boolean;
  /** Whether the next two, for all visitors together, apply. */
  hasTotal: boolean;
  totalFilesLimit: string;
  totalBytesLimit: string;
};
export type InvitationField = keyof InvitationForm;
export type InvitationBody = {
  title: string;
  message: string;
  expirationDays?: number;
  /** Null applies the plan's limit. */
  maxFileSize: number | null;
  maxTotalSize: number | null;
  maxFiles: number;
  /** Null applies no limit. */
  totalFilesLimit: number | null;
  totalBytesLimit: number | null;
  /** File extensions as typed. */
  allowedTypes: string;
  isRecurring: boolean;
};

/** Fields of the collapsed section. */
export const LIMIT_FIELDS = [
  'maxFileSize',
  'maxTotalSize',
  'maxFiles',
  'allowedTypes',
  'isRecurring',
] as const;

const SIZE_ADVICE = t`Please enter a size like 5GB or 500MB`;

/** Returns the defaults without an invitation; they can be submitted as they are. */
export function toInvitationForm(invitation: Invitation | undefined, senderName = ''): InvitationForm {
  const { totalFilesLimit = null, totalBytesLimit = null } = invitation ?? {};
  return {
    title: invitation?.title ?? (senderName && t`Files for ${senderName}`).slice(0, TITLE_MAX),
    message: invitation?.message ?? '',
    expirationDays: invitation ? '' : String(INVITATION_DAYS_DEFAULT),
    maxFileSize: invitation?.hasOwnFileSize ? toSizeText(invitation.maxFileSize) : '',
    maxTotalSize: invitation?.hasOwnTotalSize ? toSizeText(invitation.maxTotalSize) : '',
    maxFiles: String(invitation?.maxFiles ?? INVITATION_FILES_DEFAULT),
    allowedTypes: invitation?.allowedTypes.join(', ') ?? '',
    isRecurring: invitation?.isRecurring ?? false,
    isEncrypted: false,
    hasTotal: totalFilesLimit !== null || totalBytesLimit !== null,
    totalFilesLimit: totalFilesLimit === null ? '' : String(totalFilesLimit),
    totalBytesLimit: totalBytesLimit === null ? '' : toSizeText(totalBytesLimit),
  };
}

/** The form must be valid. */
export function toBody(form: InvitationForm): InvitationBody {
  return {
    title: form.title.trim(),
    message: form.message.trim(),
    ...(form.expirationDays.trim() && { expirationDays: toNumber(form.expirationDays) }),
    maxFileSize: toBytes(form.maxFileSize),
    maxTotalSize: toBytes(form.maxTotalSize),
    maxFiles: form.maxFiles.trim() ? toNumber(form.maxFiles) : INVITATION_FILES_DEFAULT,
    totalFilesLimit: form.hasTotal && form.totalFilesLimit.trim() ? toNumber(form.totalFilesLimit) : null,
    totalBytesLimit: form.hasTotal ? toBytes(form.totalBytesLimit) : null,
    allowedTypes: form.allowedTypes,
    isRecurring: form.isRecurring,
  };
}

/** The total of an invitation of an earlier release follows these until it is saved itself. */
const TOTAL_FOLLOWS: InvitationField[] = ['maxFiles', 'maxTotalSize', 'isRecurring', 'hasTotal'];
const TOTAL: InvitationField[] = ['totalFilesLimit', 'totalBytesLimit'];

/** Only the changed fields, so that changes from another window are kept. */
export function toChanges(form: InvitationForm, before: InvitationForm): Partial<InvitationBody> {
  const isChanged = (field: InvitationField) => String(form[field]).trim() !== String(before[field]).trim();
  const hasNewTotal = [...TOTAL_FOLLOWS, ...TOTAL].some(isChanged);
  const isSent = (field: InvitationField) => (TOTAL.includes(field) ? hasNewTotal : isChanged(field));
  return Object.fromEntries(
    Object.entries(toBody(form)).filter(([field]) => isSent(field as InvitationField)),
  );
}

/** One sentence per wrong field. `planBytes`: the plan's bytes per transfer, if known. */
export function checkForm(
  form: InvitationForm,
  { isNew, planBytes }: { isNew: boolean; planBytes: number | undefined },
): FormErrors<InvitationForm> {
  const { error } = CreateInvitationInput.safeParse(toBody(form));
  const errors: FormErrors<InvitationForm> = {};
  for (const { path, message } of error?.issues ?? [])
    errors[path[0] as InvitationField] ??= translateSentence(message);
  if (isNew && !form.expirationDays.trim()) errors.expirationDays = t`Please enter a number of days`;
  if (!Number.isInteger(toBody(form).maxFiles)) errors.maxFiles = t`Please enter a whole number`;
  if (form.hasTotal && !form.totalFilesLimit.trim() && !form.totalBytesLimit.trim())
    errors.totalFilesLimit = t`Please enter a number of files, a size, or both`;
  if (Number.isNaN(toBytes(form.totalBytesLimit)) && form.hasTotal) errors.totalBytesLimit = SIZE_ADVICE;
  for (const field of ['maxFileSize', 'maxTotalSize'] as const) {
    const bytes = toBytes(form[field]);
    if (Number.isNaN(bytes)) errors[field] = SIZE_ADVICE;
    else if (planBytes !== undefined && (bytes ?? 0) > planBytes) {
      const size = formatSize(planBytes);
      errors[field] = t`Your plan allows at most ${size}`;
    }
  }
  return errors;
}

/** Null if empty, NaN if it isn't a size. */
function toBytes(text: string): number | null {
  if (text.trim() === '') return null;
  try {
    return parseSize(text);
  } catch {
    return Number.NaN;
  }
}

function toNumber(text: string): number {
  return Number(text.trim());
}
