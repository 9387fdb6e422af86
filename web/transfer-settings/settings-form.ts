import { clampExpirationDays } from '../../contracts/plans/limits.ts';
import type { EncryptionPolicy, TierName } from '../../contracts/plans/tiers.ts';
import { canSet, type ExistingSettings } from '../../contracts/transfers/settings/settings-rules.ts';
import type { Transfer, UpdateTransferInput } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';
import { canEncrypt } from '../lib/browser/can-encrypt.ts';
import { toInstant, toLocalDateTime } from '../lib/time/relative-time.ts';
import { parseEmails } from '../lib/values/email-list.ts';

/** Transfer settings as typed. Dates and times are the browser's local `YYYY-MM-DD` and `HH:MM`. */
export type SettingsForm = {
  title: string;
  message: string;
  /** End to end. Only a new transfer has the choice. */
  isEncrypted: boolean;
  recipients: string;
  /**
   * Which fields decide the expiry. `date-or-days`: date and time if both are filled in, otherwise the days. `keep`:
   * none, the current expiry stays.
   */
  expiry: 'date-or-days' | 'keep' | 'days' | 'date';
  expirationDays: string;
  expiryDate: string;
  expiryTime: string;
  /** Empty keeps an existing password. */
  password: string;
  removesPassword: boolean;
  maxDownloads: string;
  autoDelete: boolean;
  scheduledDate: string;
  scheduledTime: string;
};

export type SettingsField = keyof SettingsForm;

export type SettingsPlan = { tier: TierName; retentionDays: number };

export type SavedSettings = Pick<
  Transfer,
  | 'status'
  | 'title'
  | 'message'
  | 'recipientEmails'
  | 'expiresAt'
  | 'scheduledAvailableAt'
  | 'isPasswordProtected'
  | 'maxDownloads'
  | 'autoDeleteAfterDownloads'
  | 'downloadCount'
>;

export type SettingsChanges = Partial<UpdateTransferInput>;

const NO_SETTINGS: SavedSettings = {
  status: 'ready',
  title: null,
  message: null,
  recipientEmails: [],
  expiresAt: null,
  scheduledAvailableAt: null,
  isPasswordProtected: false,
  maxDownloads: null,
  autoDeleteAfterDownloads: false,
  downloadCount: 0,
};

export function newSettingsForm(retentionDays: number): SettingsForm {
  return { ...toForm(NO_SETTINGS, retentionDays), expiry: 'date-or-days' };
}

export function editSettingsForm(transfer: SavedSettings, retentionDays: number): SettingsForm {
  return toForm(transfer, retentionDays);
}

/** The form for a new transfer, filled with settings that were chosen before; the password is not kept. */
export function restoreSettingsForm(settings: TransferSettingsInput, retentionDays: number): SettingsForm {
  const { expirationDays } = settings;
  const saved: SavedSettings = {
    ...NO_SETTINGS,
    title: asText(settings.title),
    message: asText(settings.message),
    recipientEmails: Array.isArray(settings.recipientEmails) ? settings.recipientEmails : [],
    expiresAt: asText(settings.expiresAt) || null,
    scheduledAvailableAt: asText(settings.scheduledAvailableAt) || null,
    maxDownloads: settings.maxDownloads ? Number(settings.maxDownloads) : null,
    autoDeleteAfterDownloads: settings.autoDeleteAfterDownloads === true,
  };
  return {
    ...toForm(saved, retentionDays),
    expiry: 'date-or-days',
    ...(expirationDays ? { expirationDays: String(expirationDays) } : {}),
  };
}

function toForm(saved: SavedSettings, retentionDays: number): SettingsForm {
  const expiry = toLocalDateTime(saved.expiresAt);
  const schedule = toLocalDateTime(saved.scheduledAvailableAt);
  return {
    title: saved.title ?? '',
    message: saved.message ?? '',
    isEncrypted: false,
    recipients: saved.recipientEmails.join(', '),
    expiry: 'keep',
    expirationDays: String(clampExpirationDays(undefined, retentionDays)),
    expiryDate: expiry.date,
    expiryTime: expiry.time,
    password: '',
    removesPassword: false,
    maxDownloads: saved.maxDownloads === null ? '' : String(saved.maxDownloads),
    autoDelete: saved.autoDeleteAfterDownloads,
    scheduledDate: schedule.date,
    scheduledTime: schedule.time,
  };
}

/** The settings of a new transfer. Settings the plan doesn't include are left out. */
export function toSettings(form: SettingsForm, plan: SettingsPlan): TransferSettingsInput {
  // Nothing is set yet, so nothing can be removed with null.
  return toChanges(form, plan) as TransferSettingsInput;
}

/**
 * What the form changes about a transfer, or sets for a new one. Settings that neither the plan nor the transfer
 * includes are left out.
 */
export function toChanges(form: SettingsForm, plan: SettingsPlan, saved = NO_SETTINGS): SettingsChanges {
  const changes: SettingsChanges = {
    ...changeText('title', form.title, saved.title),
    ...changeText('message', form.message, saved.message),
    ...changeRecipients(form, saved),
    ...changeExpiry(form, plan),
    ...changePassword(form, plan, saved),
    ...changeLimit(form, plan, saved),
    ...changeSchedule(form, plan, saved),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** The paid settings the transfer has, from whatever plan. */
export function listExisting(saved = NO_SETTINGS): ExistingSettings {
  return {
    password: saved.isPasswordProtected,
    maxDownloads: saved.maxDownloads !== null,
    schedule: saved.scheduledAvailableAt !== null,
    autoDelete: saved.autoDeleteAfterDownloads,
  };
}

function changeText(name: 'title' | 'message', typed: string, current: string | null): SettingsChanges {
  const text = typed.trim();
  return text === (current ?? '') ? {} : { [name]: text || null };
}

function changeRecipients({ recipients }: SettingsForm, { recipientEmails }: SavedSettings): SettingsChanges {
  const emails = parseEmails(recipients);
  return emails.join() === recipientEmails.join() ? {} : { recipientEmails: emails };
}

function changeExpiry(form: SettingsForm, { retentionDays }: SettingsPlan): SettingsChanges {
  const exact = form.expiryTime && toInstant(form.expiryDate, form.expiryTime);
  switch (form.expiry) {
    case 'keep':
      return {};
    case 'days':
      return { expirationDays: Number(form.expirationDays) };
    case 'date':
      // The check refuses a missing date before anything is sent.
      return { expiresAt: exact || '' };
    case 'date-or-days':
      return exact ? { expiresAt: exact } : { expirationDays: effectiveDays(form, retentionDays) };
  }
}

/** The days of a new transfer: a number outside the plan's range is replaced by the longest the plan allows. */
export function effectiveDays(
  { expirationDays }: Pick<SettingsForm, 'expirationDays'>,
  retentionDays: number,
): number {
  return clampExpirationDays(Number(expirationDays), retentionDays);
}

function changePassword(form: SettingsForm, { tier }: SettingsPlan, saved: SavedSettings): SettingsChanges {
  if (form.removesPassword) return { password: null };
  const isSet = form.password !== '' && canSet('password', tier, listExisting(saved));
  return isSet ? { password: form.password } : {};
}

function changeLimit(form: SettingsForm, { tier }: SettingsPlan, saved: SavedSettings): SettingsChanges {
  const typed = form.maxDownloads.trim();
  const existing = listExisting(saved);
  if (typed !== '' && !canSet('maxDownloads', tier, existing)) return {};
  const maxDownloads = typed === '' ? null : Number(typed);
  const autoDelete = form.autoDelete && maxDownloads !== null && canSet('autoDelete', tier, existing);
  return {
    ...(maxDownloads !== saved.maxDownloads && { maxDownloads }),
    ...(autoDelete !== saved.autoDeleteAfterDownloads && { autoDeleteAfterDownloads: autoDelete }),
  };
}

/** Compares what the fields show, because they have no seconds. A date without a time means the start of that day. */
function changeSchedule(form: SettingsForm, { tier }: SettingsPlan, saved: SavedSettings): SettingsChanges {
  const { scheduledDate: date, scheduledTime: time } = form;
  const current = toLocalDateTime(saved.scheduledAvailableAt);
  if (date === '') return saved.scheduledAvailableAt === null ? {} : { scheduledAvailableAt: null };
  if (!canSet('schedule', tier, listExisting(saved))) return {};
  if (date === current.date && time === current.time) return {};
  return { scheduledAvailableAt: toInstant(date, time || '00:00') };
}

function asText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Whether a new transfer is encrypted. The server refuses plain ones if the plan requires encryption. */
export function isEncryptionOn(policy: EncryptionPolicy, isChosen: boolean): boolean {
  return canEncrypt() && (policy === 'required' || (policy === 'offered' && isChosen));
}
