import { type ErrorCode, errorMessage, type FieldErrors } from '../../../contracts/errors.ts';
import { clampExpirationDays, RECIPIENTS_MAX } from '../../../contracts/plans/limits.ts';
import {
  maxDownloadsOf,
  sayTooManyDownloads,
  type TierName,
  tierIncludes,
} from '../../../contracts/plans/tiers.ts';
import { TransferSettings } from '../../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../../contracts/transfers/uploads.ts';
import { describeEmailMistakes, parseEmails } from '../../lib/email-list.ts';
import { toInstant, toLocalDateTime } from '../../lib/local-date-time.ts';

/** The Share Settings card as it is typed; dates and times are the browser's local `YYYY-MM-DD` and `HH:MM`. */
export type ShareForm = {
  title: string;
  message: string;
  expirationDays: string;
  expiryDate: string;
  expiryTime: string;
  password: string;
  recipients: string;
  maxDownloads: string;
  autoDelete: boolean;
  scheduledDate: string;
  scheduledTime: string;
};

export type ShareField = keyof ShareForm;
export type ShareFormErrors = Partial<Record<ShareField, string>>;
export type ShareRules = {
  tier: TierName;
  retentionDays: number;
  /** Epoch milliseconds. */
  now: number;
  /** The transfer was begun with a password that this device did not keep. */
  needsPassword?: boolean;
};

type PlanRules = Pick<ShareRules, 'tier' | 'retentionDays'>;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Field of the form that shows what is wrong with a setting of the contract. */
const FIELD_OF: Record<keyof TransferSettings, ShareField> = {
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

export function emptyShareForm(retentionDays: number): ShareForm {
  return {
    title: '',
    message: '',
    expirationDays: String(clampExpirationDays(undefined, retentionDays)),
    expiryDate: '',
    expiryTime: '',
    password: '',
    recipients: '',
    maxDownloads: '',
    autoDelete: false,
    scheduledDate: '',
    scheduledTime: '',
  };
}

/**
 * What the form says, as the contract wants it; fields of plans the sender does not have are left out. A custom
 * expiry counts only with date and time, days outside the plan's retention are ignored, a schedule without a time
 * begins with its day (specification section 5).
 */
export function toSettings(form: ShareForm, { tier, retentionDays }: PlanRules): TransferSettingsInput {
  const expiresAt = form.expiryTime ? toInstant(form.expiryDate, form.expiryTime) : undefined;
  const scheduledAvailableAt = tierIncludes(tier, 'schedule')
    ? toInstant(form.scheduledDate, form.scheduledTime || '00:00')
    : undefined;
  const hasLimit = tierIncludes(tier, 'maxDownloads') && form.maxDownloads.trim() !== '';
  return withoutBlanks({
    title: form.title.trim(),
    message: form.message.trim(),
    recipientEmails: form.recipients.trim() && parseEmails(form.recipients),
    expirationDays: expiresAt === undefined ? daysOf(form, retentionDays) : undefined,
    expiresAt,
    scheduledAvailableAt,
    password: tierIncludes(tier, 'password') ? form.password : undefined,
    maxDownloads: hasLimit ? Number(form.maxDownloads) : undefined,
    autoDeleteAfterDownloads: (hasLimit && form.autoDelete && tierIncludes(tier, 'autoDelete')) || undefined,
  });
}

/** Whole days within 1 and the plan's retention; else the retention. */
export function daysOf({ expirationDays }: Pick<ShareForm, 'expirationDays'>, retentionDays: number): number {
  return clampExpirationDays(Number(expirationDays), retentionDays);
}

/** The form of settings that were decided before (all but the password). */
export function toShareForm(settings: TransferSettingsInput, retentionDays: number): ShareForm {
  const expiry = toLocalDateTime(readInstant(settings.expiresAt) ?? null);
  const schedule = toLocalDateTime(readInstant(settings.scheduledAvailableAt) ?? null);
  const form = emptyShareForm(retentionDays);
  return {
    ...form,
    title: asText(settings.title),
    message: asText(settings.message),
    expirationDays: asText(settings.expirationDays) || form.expirationDays,
    expiryDate: expiry.date,
    expiryTime: expiry.time,
    recipients: Array.isArray(settings.recipientEmails) ? settings.recipientEmails.join(', ') : '',
    maxDownloads: asText(settings.maxDownloads),
    autoDelete: settings.autoDeleteAfterDownloads === true,
    scheduledDate: schedule.date,
    scheduledTime: schedule.time,
  };
}

/** One sentence per wrong field. */
export function checkShareForm(form: ShareForm, rules: ShareRules): ShareFormErrors {
  const settings = toSettings(form, rules);
  const { error } = TransferSettings.safeParse(settings);
  const issues = error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [];
  return {
    ...toFormErrors(Object.fromEntries(issues), settings),
    ...checkLimit(form, rules),
    ...checkRecipients(settings),
    ...checkInstants(settings, rules),
    ...(rules.needsPassword &&
      !form.password && { password: 'This transfer had a password. Please enter it again.' }),
  };
}

/** Fields that a refusal of the whole is about. */
const FIELD_OF_CODE: Partial<Record<ErrorCode, ShareField>> = {
  schedule_after_expiry: 'scheduledDate',
  expiry_in_past: 'expiryDate',
  auto_delete_needs_limit: 'maxDownloads',
  daily_mails_exceeded: 'recipients',
  mailbox_mails_exceeded: 'recipients',
  too_many_requests: 'recipients',
};

type Refusal = { code: ErrorCode | undefined; detail: string; errors: FieldErrors };

/** What the server refused, at the fields that can mend it; empty when no field can. */
export function toRefusedFields(refusal: Refusal, settings: TransferSettingsInput): ShareFormErrors {
  const field = refusal.code && FIELD_OF_CODE[refusal.code];
  return field ? { [field]: refusal.detail } : toFormErrors(refusal.errors, settings);
}

/** Puts the contract's errors at the fields. */
function toFormErrors(errors: FieldErrors, settings: TransferSettingsInput): ShareFormErrors {
  const shown: ShareFormErrors = {};
  for (const [path, message] of Object.entries(errors)) {
    const [name, index] = path.split('.');
    const field = FIELD_OF[name as keyof TransferSettings] as ShareField | undefined;
    if (!field) continue;
    const address =
      index !== undefined && (settings.recipientEmails as string[] | undefined)?.[Number(index)];
    const sentence = address ? `${message}: “${address}”` : message;
    shown[field] = shown[field] && address ? `${shown[field]}, “${address}”` : (shown[field] ?? sentence);
  }
  return shown;
}

function checkLimit({ maxDownloads }: ShareForm, { tier }: ShareRules): ShareFormErrors {
  if (!tierIncludes(tier, 'maxDownloads')) return {};
  const typed = maxDownloads.trim();
  if (!/^\d*$/.test(typed)) return { maxDownloads: 'Please enter a whole number.' };
  return Number(typed) > maxDownloadsOf(tier) ? { maxDownloads: sayTooManyDownloads(tier) } : {};
}

function checkRecipients({ recipientEmails }: TransferSettingsInput): ShareFormErrors {
  const mistake = Array.isArray(recipientEmails) && describeEmailMistakes(recipientEmails, RECIPIENTS_MAX);
  return mistake ? { recipients: mistake } : {};
}

function checkInstants(settings: TransferSettingsInput, rules: ShareRules): ShareFormErrors {
  const { retentionDays, now } = rules;
  const expiry = readInstant(settings.expiresAt);
  const start = readInstant(settings.scheduledAvailableAt);
  const days = clampExpirationDays(Number(settings.expirationDays), retentionDays);
  const latest = now + clampExpirationDays(undefined, retentionDays) * DAY_MS;
  const errors: ShareFormErrors = {};
  if (expiry !== undefined && expiry <= now) errors.expiryDate = errorMessage('expiry_in_past');
  // A minute's grace: the fields know no seconds.
  if (expiry !== undefined && expiry > latest + MINUTE_MS)
    errors.expiryDate = `Your plan keeps transfers for at most ${days} days.`;
  if (start !== undefined && start < now - MINUTE_MS)
    errors.scheduledDate = 'This time has passed. Please choose a later one.';
  if (start !== undefined && start >= (expiry ?? now + days * DAY_MS))
    errors.scheduledDate = errorMessage('schedule_after_expiry');
  return errors;
}

function readInstant(iso: unknown): number | undefined {
  return typeof iso === 'string' && iso ? Date.parse(iso) : undefined;
}

function asText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function withoutBlanks(settings: Record<keyof TransferSettings, unknown>): TransferSettingsInput {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== ''),
  ) as TransferSettingsInput;
}
