import { t } from '@lingui/core/macro';
import { INVITATION_DAYS_DEFAULT, INVITATION_FILES_DEFAULT } from '../../../contracts/plans/limits.ts';
import { CreateInvitationInput, type Invitation } from '../../../contracts/transfers/invitations.ts';
import { formatSize, parseSize, toSizeText } from '../../../contracts/values/sizes.ts';
import type { FormErrors } from '../../api/field-errors.ts';

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
};
export type InvitationField = keyof InvitationForm;
export type InvitationBody = {
  title: string;
  message: string;
  expirationDays?: number;
  /** Null: the plan's limit. */
  maxFileSize: number | null;
  maxTotalSize: number | null;
  maxFiles: number;
  /** Endings as typed. */
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

/** Undefined: a new invitation. */
export function toInvitationForm(invitation: Invitation | undefined): InvitationForm {
  return {
    title: invitation?.title ?? '',
    message: invitation?.message ?? '',
    expirationDays: invitation ? '' : String(INVITATION_DAYS_DEFAULT),
    maxFileSize: invitation?.hasOwnFileSize ? toSizeText(invitation.maxFileSize) : '',
    maxTotalSize: invitation?.hasOwnTotalSize ? toSizeText(invitation.maxTotalSize) : '',
    maxFiles: String(invitation?.maxFiles ?? INVITATION_FILES_DEFAULT),
    allowedTypes: invitation?.allowedTypes.join(', ') ?? '',
    isRecurring: invitation?.isRecurring ?? false,
  };
}

/** The request body. The form must be valid. */
export function toBody(form: InvitationForm): InvitationBody {
  return {
    title: form.title.trim(),
    message: form.message.trim(),
    ...(form.expirationDays.trim() && { expirationDays: toNumber(form.expirationDays) }),
    maxFileSize: toBytes(form.maxFileSize),
    maxTotalSize: toBytes(form.maxTotalSize),
    maxFiles: form.maxFiles.trim() ? toNumber(form.maxFiles) : INVITATION_FILES_DEFAULT,
    allowedTypes: form.allowedTypes,
    isRecurring: form.isRecurring,
  };
}

/** Only the changed fields, so that changes from another window are kept. */
export function toChanges(form: InvitationForm, before: InvitationForm): Partial<InvitationBody> {
  const isChanged = (field: string) =>
    String(form[field as InvitationField]).trim() !== String(before[field as InvitationField]).trim();
  return Object.fromEntries(Object.entries(toBody(form)).filter(([field]) => isChanged(field)));
}

/** One sentence per wrong field. `planBytes`: the plan's bytes per transfer, if known. */
export function checkForm(
  form: InvitationForm,
  { isNew, planBytes }: { isNew: boolean; planBytes: number | undefined },
): FormErrors<InvitationForm> {
  const { error } = CreateInvitationInput.safeParse(toBody(form));
  const errors: FormErrors<InvitationForm> = {};
  for (const { path, message } of error?.issues ?? []) errors[path[0] as InvitationField] ??= message;
  if (isNew && !form.expirationDays.trim()) errors.expirationDays = t`Please enter a number of days`;
  if (!Number.isInteger(toBody(form).maxFiles)) errors.maxFiles = t`Please enter a whole number`;
  for (const field of ['maxFileSize', 'maxTotalSize'] as const) {
    const bytes = toBytes(form[field]);
    if (Number.isNaN(bytes)) errors[field] = SIZE_ADVICE;
    else if (planBytes !== undefined && (bytes ?? 0) > planBytes)
      errors[field] = t`Your plan allows at most ${formatSize(planBytes)}`;
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
