import { t } from '@lingui/core/macro';
import { errorMessage } from '../../contracts/errors.ts';
import { RECIPIENTS_MAX } from '../../contracts/plans/limits.ts';
import {
  describeDownloadLimit,
  describeLateExpiry,
  describePastSchedule,
  findExpiryError,
  findLimitError,
  findScheduleError,
  parseInstant,
  resolveExpiry,
} from '../../contracts/transfers/settings/settings-rules.ts';
import { TransferSettings, UpdateTransferInput } from '../../contracts/transfers/transfers.ts';
import { translateSentence } from '../lib/language/sentences.ts';
import { describeEmailMistakes } from '../lib/values/email-list.ts';
import {
  type SavedSettings,
  type SettingsChanges,
  type SettingsForm,
  type SettingsPlan,
  toChanges,
} from './settings-form.ts';
import { checkDays, type SettingsErrors, toFormErrors } from './settings-refusals.ts';

export type SettingsRules = SettingsPlan & {
  /** Epoch milliseconds. */
  now: number;
  /** The transfer being edited; absent for a new one. */
  transfer?: SavedSettings | undefined;
  /** A resumed upload had a password, which this device doesn't keep. */
  needsPassword?: boolean;
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
    ? translateSentence(errorMessage(code))
    : translateSentence(describeLateExpiry(expiresAt, { now, retentionDays, current: currentExpiry(rules) }));
  return mistake ? { expiryDate: mistake } : {};
}

function checkSchedule(changes: SettingsChanges, rules: SettingsRules): SettingsErrors {
  if (!changes.scheduledAvailableAt) return {};
  const { now } = rules;
  const opensAt = parseInstant(changes.scheduledAvailableAt);
  const expiresAt = resolveExpiry(changes, { now, current: currentExpiry(rules) });
  const code = findScheduleError(opensAt, expiresAt);
  const mistake =
    translateSentence(describePastSchedule(opensAt, now)) ?? (code && translateSentence(errorMessage(code)));
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
    (code && translateSentence(errorMessage(code, { count: downloadCount })));
  return mistake ? { maxDownloads: mistake } : {};
}
