import { t } from '@lingui/core/macro';
import { ApiError } from '../../client/api-error.ts';
import type { ErrorCode, FieldErrors } from '../../contracts/errors.ts';
import {
  isAllowedExpirationDays,
  maxExpirationDays,
} from '../../contracts/transfers/settings/settings-rules.ts';
import type { TransferSettings } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';
import type { FormErrors } from '../api/forms/field-errors.ts';
import type { SettingsChanges, SettingsField, SettingsForm } from './settings-form.ts';

export type SettingsErrors = FormErrors<SettingsForm>;

const FIELD_OF_SETTING: Record<keyof TransferSettings, SettingsField> = {
  title: 'title',
  message: 'message',
  recipientEmails: 'recipients',
  expirationDays: 'expirationDays',
  expiresAt: 'expiryDate',
  scheduledAvailableAt: 'scheduledDate',
  password: 'password',
  maxDownloads: 'maxDownloads',
  autoDeleteAfterDownloads: 'autoDelete',
};

/** The field that shows a refusal of the whole request. */
const FIELD_OF_CODE: Partial<Record<ErrorCode, SettingsField>> = {
  schedule_after_expiry: 'scheduledDate',
  expiry_in_past: 'expiryDate',
  limit_below_downloads: 'maxDownloads',
  auto_delete_needs_limit: 'maxDownloads',
  daily_mails_exceeded: 'recipients',
  mailbox_mails_exceeded: 'recipients',
};

export function checkDays(days: number, retentionDays: number): string | undefined {
  return isAllowedExpirationDays(days, retentionDays)
    ? undefined
    : t`Please choose 1 to ${maxExpirationDays(retentionDays)} days.`;
}

/** The server's refusal at the fields it is about; empty if the error isn't about any of them. */
export function toRefusedFields(
  error: unknown,
  sent: TransferSettingsInput | SettingsChanges,
): SettingsErrors {
  if (!(error instanceof ApiError)) return {};
  const { code, detail, errors } = error;
  const field = code && FIELD_OF_CODE[code];
  return field ? { [field]: detail } : toFormErrors(errors, sent);
}

/** Moves errors from the contract's names to the form's fields. Errors of recipients name the address. */
export function toFormErrors(
  errors: FieldErrors,
  { recipientEmails }: TransferSettingsInput | SettingsChanges,
): SettingsErrors {
  const shown: SettingsErrors = {};
  for (const [path, message] of Object.entries(errors)) {
    const [name, index] = path.split('.');
    const field = FIELD_OF_SETTING[name as keyof TransferSettings] as SettingsField | undefined;
    if (!field) continue;
    const address = index !== undefined && (recipientEmails as string[] | undefined)?.[Number(index)];
    const sentence = address ? `${message}: “${address}”` : message;
    shown[field] = shown[field] && address ? `${shown[field]}, “${address}”` : (shown[field] ?? sentence);
  }
  return shown;
}
