import { t } from '@lingui/core/macro';
import { ApiError } from '../../client/api-error.ts';
import type { ErrorCode, FieldErrors } from '../../contracts/errors.ts';
import { RECIPIENTS_MAX } from '../../contracts/plans/limits.ts';
import {
  describeDownloadLimit,
  describeLateExpiry,
  describePastSchedule,
  findExpiryError,
  findLimitError,
  findScheduleError,
  isAllowedExpirationDays,
  maxExpirationDays,
  parseInstant,
  resolveExpiry,
} from '../../contracts/transfers/settings-rules.ts';
import { TransferSettings, UpdateTransferInput } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads.ts';
import type { FormErrors } from '../api/field-errors.ts';
import { ruleMessage } from '../lib/language/rule-message.ts';
import { translateSentence } from '../lib/language/sentences.ts';
import { describeEmailMistakes } from '../lib/values/email-list.ts';
import {
  type SavedSettings,
  type SettingsChanges,
  type SettingsField,
  type SettingsForm,
  type SettingsPlan,
  toChanges,
} from './settings-form.ts';

export type SettingsErrors = FormErrors<SettingsForm>;

export type SettingsRules = SettingsPlan & {
  /** Epoch milliseconds. */
  now: number;
  /** The transfer being edited; absent for a new one. */
  transfer?: SavedSettings | undefined;
  /** A resumed upload had a password, which this device doesn't keep. */
  needsPassword?: boolean;
};

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

export function checkSettings(form: SettingsForm, rules: SettingsRules): SettingsErrors {
  const changes = toChanges(form, rules, rules.transfer);
  const { error } = (rules.transfer ? UpdateTransferInput : TransferSettings).safeParse(changes);
  const issues = error?.issues.map(({ path, message }) => [path.join('.'), translateSentence(message)]) ?? [];
  return {
    ...toFormErrors(Object.fromEntries(issues), changes),
    ...checkRecipients(changes),
    ...checkExpiry(form, changes, rules),
    ...checkSchedule(changes, rules),
    ...checkLimit(changes, rules),
    ...(rules.needsPassword &&
      !form.password && { password: t`This transfer had a password. Please enter it again.` }),
  };
}

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
function toFormErrors(
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

function checkRecipients({ recipientEmails }: SettingsChanges): SettingsErrors {
  const mistake = recipientEmails && describeEmailMistakes(recipientEmails, RECIPIENTS_MAX);
  return mistake ? { recipients: mistake } : {};
}

function checkExpiry(form: SettingsForm, changes: SettingsChanges, rules: SettingsRules): SettingsErrors {
  const { retentionDays, now } = rules;
  if (form.expiry === 'days') {
    const mistake = checkDays(changes.expirationDays ?? 0, retentionDays);
    return mistake ? { expirationDays: mistake } : {};
  }
  if (form.expiry === 'date') {
    if (!form.expiryDate) return { expiryDate: t`Please choose a date.` };
    if (!form.expiryTime) return { expiryTime: t`Please choose a time.` };
    if (!changes.expiresAt) return { expiryDate: t`Please enter a date and time.` };
  }
  if (!changes.expiresAt) return {};
  const expiresAt = parseInstant(changes.expiresAt);
  const code = findExpiryError(expiresAt, now);
  const mistake = code
    ? ruleMessage(code)
    : translateSentence(describeLateExpiry(expiresAt, { now, retentionDays, current: currentExpiry(rules) }));
  return mistake ? { expiryDate: mistake } : {};
}

function checkSchedule(changes: SettingsChanges, rules: SettingsRules): SettingsErrors {
  if (!changes.scheduledAvailableAt) return {};
  const { now } = rules;
  const opensAt = parseInstant(changes.scheduledAvailableAt);
  const expiresAt = resolveExpiry(changes, { now, current: currentExpiry(rules) });
  const code = findScheduleError(opensAt, expiresAt);
  const mistake = translateSentence(describePastSchedule(opensAt, now)) ?? (code && ruleMessage(code));
  return mistake ? { scheduledDate: mistake } : {};
}

function currentExpiry({ transfer }: SettingsRules): number | null {
  return transfer?.expiresAt ? parseInstant(transfer.expiresAt) : null;
}

function checkLimit({ maxDownloads }: SettingsChanges, { transfer, tier }: SettingsRules): SettingsErrors {
  if (typeof maxDownloads !== 'number') return {};
  const downloadCount = transfer?.downloadCount ?? 0;
  const code = findLimitError({ maxDownloads, downloadCount });
  const mistake =
    translateSentence(describeDownloadLimit(maxDownloads, tier)) ??
    (code && ruleMessage(code, { count: downloadCount }));
  return mistake ? { maxDownloads: mistake } : {};
}
