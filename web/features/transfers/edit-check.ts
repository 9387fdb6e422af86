import { ApiError } from '../../../client/api-error.ts';
import { type ErrorCode, errorMessage, type FieldErrors } from '../../../contracts/errors.ts';
import { clampExpirationDays, RECIPIENTS_MAX } from '../../../contracts/plans/limits.ts';
import { maxDownloadsOf, sayTooManyDownloads } from '../../../contracts/plans/tiers.ts';
import { type Transfer, UpdateTransferInput } from '../../../contracts/transfers/transfers.ts';
import { describeEmailMistakes } from '../../lib/email-list.ts';
import type { Changes, EditField, EditForm, EditPlan } from './edit-form.ts';

export type EditErrors = Partial<Record<EditField, string>>;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Field of the form that shows what is wrong with a change. */
const FIELD_OF: Record<keyof UpdateTransferInput, EditField> = {
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

/** Fields that a refusal of the whole is about. */
const FIELD_OF_CODE: Partial<Record<ErrorCode, EditField>> = {
  schedule_after_expiry: 'scheduledDate',
  expiry_in_past: 'expiryDate',
  limit_below_downloads: 'maxDownloads',
  auto_delete_needs_limit: 'maxDownloads',
  daily_mails_exceeded: 'recipients',
  mailbox_mails_exceeded: 'recipients',
};

type Rules = EditPlan & {
  transfer: Transfer;
  /** Epoch milliseconds. */
  now: number;
};

/** One sentence per wrong field. */
export function checkEdit(form: EditForm, changes: Changes, rules: Rules): EditErrors {
  const { error } = UpdateTransferInput.safeParse(changes);
  const issues = error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [];
  return {
    ...toFields(Object.fromEntries(issues)),
    ...checkRecipients(changes),
    ...checkExpiry(form, changes, rules),
    ...checkSchedule(changes, rules),
    ...checkLimit(changes, rules),
  };
}

/** What the server refused, at the fields that can mend it; empty when no field can. */
export function toRefusedFields(error: unknown): EditErrors {
  if (!(error instanceof ApiError)) return {};
  const field = error.code && FIELD_OF_CODE[error.code];
  return field ? { [field]: error.detail } : toFields(error.errors);
}

function toFields(errors: FieldErrors): EditErrors {
  const shown: EditErrors = {};
  for (const [path, message] of Object.entries(errors)) {
    const field = FIELD_OF[path.split('.')[0] as keyof UpdateTransferInput] as EditField | undefined;
    if (field) shown[field] ??= message;
  }
  return shown;
}

function checkRecipients({ recipientEmails }: Changes): EditErrors {
  const mistake = recipientEmails && describeEmailMistakes(recipientEmails, RECIPIENTS_MAX);
  return mistake ? { recipients: mistake } : {};
}

function checkExpiry(
  { expiry, expiryDate, expiryTime }: EditForm,
  changes: Changes,
  rules: Rules,
): EditErrors {
  const longest = clampExpirationDays(undefined, rules.retentionDays);
  if (expiry === 'days') {
    const days = changes.expirationDays ?? 0;
    const isRight = Number.isInteger(days) && days >= 1 && days <= longest;
    return isRight ? {} : { expirationDays: `Please choose 1 to ${longest} days.` };
  }
  if (expiry === 'keep') return {};
  if (!expiryDate) return { expiryDate: 'Please choose a date.' };
  if (!expiryTime) return { expiryTime: 'Please choose a time.' };
  const end = instantOf(changes.expiresAt);
  if (Number.isNaN(end)) return { expiryDate: 'Please give a date and time.' };
  if (end <= rules.now) return { expiryDate: errorMessage('expiry_in_past') };
  // A minute's grace: the fields know no seconds. What an earlier plan promised may stay.
  const latest = Math.max(rules.now + longest * DAY_MS, instantOf(rules.transfer.expiresAt) || 0);
  return end > latest + MINUTE_MS
    ? { expiryDate: `Your plan keeps transfers for at most ${longest} days.` }
    : {};
}

function checkSchedule(changes: Changes, { transfer, now }: Rules): EditErrors {
  if (!changes.scheduledAvailableAt) return {};
  const start = instantOf(changes.scheduledAvailableAt);
  if (start < now - MINUTE_MS) return { scheduledDate: 'This time has passed. Please choose a later one.' };
  return start >= endOf(changes, transfer, now)
    ? { scheduledDate: errorMessage('schedule_after_expiry') }
    : {};
}

/** When the transfer will end; Infinity when it does not. */
function endOf({ expiresAt, expirationDays }: Changes, transfer: Transfer, now: number): number {
  if (expiresAt) return instantOf(expiresAt);
  if (expirationDays) return now + expirationDays * DAY_MS;
  return transfer.expiresAt === null ? Number.POSITIVE_INFINITY : instantOf(transfer.expiresAt);
}

function checkLimit({ maxDownloads }: Changes, { transfer, tier }: Rules): EditErrors {
  if (typeof maxDownloads !== 'number') return {};
  if (!Number.isInteger(maxDownloads)) return { maxDownloads: 'Please enter a whole number.' };
  if (maxDownloads >= 1 && maxDownloads < transfer.downloadCount)
    return { maxDownloads: errorMessage('limit_below_downloads', { count: transfer.downloadCount }) };
  if (maxDownloads > maxDownloadsOf(tier)) return { maxDownloads: sayTooManyDownloads(tier) };
  return {};
}

/** NaN when it is none. */
function instantOf(iso: string | null | undefined): number {
  return Date.parse(iso ?? '');
}
