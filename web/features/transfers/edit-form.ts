import { clampExpirationDays } from '../../../contracts/plans/limits.ts';
import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Transfer, UpdateTransferInput } from '../../../contracts/transfers/transfers.ts';
import { parseEmails } from '../../lib/email-list.ts';
import { toInstant, toLocalDateTime } from '../../lib/local-date-time.ts';

/** A sent transfer's settings as they are typed; dates and times are the browser's local ones. */
export type EditForm = {
  title: string;
  message: string;
  recipients: string;
  /** `keep` leaves the end as it is. */
  expiry: 'keep' | 'days' | 'date';
  expirationDays: string;
  expiryDate: string;
  expiryTime: string;
  /** A new one; empty leaves things as they are. */
  password: string;
  removesPassword: boolean;
  maxDownloads: string;
  autoDelete: boolean;
  scheduledDate: string;
  scheduledTime: string;
};
export type EditField = keyof EditForm;

/** What a plan allows its owner to change. */
export type EditPlan = { tier: TierName; retentionDays: number };

/** Only what changes; what is absent stays as it is. */
export type Changes = Partial<UpdateTransferInput>;

export function toEditForm(transfer: Transfer, { retentionDays }: EditPlan): EditForm {
  const expiry = toLocalDateTime(transfer.expiresAt);
  const schedule = toLocalDateTime(transfer.scheduledAvailableAt);
  return {
    title: transfer.title ?? '',
    message: transfer.message ?? '',
    recipients: transfer.recipientEmails.join(', '),
    expiry: 'keep',
    expirationDays: String(clampExpirationDays(undefined, retentionDays)),
    expiryDate: expiry.date,
    expiryTime: expiry.time,
    password: '',
    removesPassword: false,
    maxDownloads: transfer.maxDownloads === null ? '' : String(transfer.maxDownloads),
    autoDelete: transfer.autoDeleteAfterDownloads,
    scheduledDate: schedule.date,
    scheduledTime: schedule.time,
  };
}

/** What the form changes about the transfer. */
export function toChanges(form: EditForm, transfer: Transfer, plan: EditPlan): Changes {
  return {
    ...changeOfText('title', form.title, transfer.title),
    ...changeOfText('message', form.message, transfer.message),
    ...changeOfRecipients(form, transfer),
    ...changeOfExpiry(form),
    ...changeOfPassword(form, transfer, plan),
    ...changeOfLimit(form, transfer, plan),
    ...changeOfSchedule(form, transfer, plan),
  };
}

function changeOfText(name: 'title' | 'message', typed: string, present: string | null): Changes {
  const text = typed.trim();
  return text === (present ?? '') ? {} : { [name]: text || null };
}

function changeOfRecipients({ recipients }: EditForm, { recipientEmails }: Transfer): Changes {
  const emails = parseEmails(recipients);
  return emails.join() === recipientEmails.join() ? {} : { recipientEmails: emails };
}

function changeOfExpiry({ expiry, expirationDays, expiryDate, expiryTime }: EditForm): Changes {
  if (expiry === 'days') return { expirationDays: Number(expirationDays) };
  // '' is no date: the form is checked before it is sent.
  if (expiry === 'date') return { expiresAt: (expiryTime && toInstant(expiryDate, expiryTime)) || '' };
  return {};
}

/** A downgrade keeps what a transfer has: it can be changed or removed on every plan, but not added. */
export function mayChange(
  feature: 'password' | 'maxDownloads' | 'schedule' | 'autoDelete',
  transfer: Transfer,
  { tier }: EditPlan,
): boolean {
  const isSet = {
    password: transfer.isPasswordProtected,
    maxDownloads: transfer.maxDownloads !== null,
    schedule: transfer.scheduledAvailableAt !== null,
    autoDelete: transfer.autoDeleteAfterDownloads,
  };
  return isSet[feature] || tierIncludes(tier, feature);
}

function changeOfPassword(
  { password, removesPassword }: EditForm,
  transfer: Transfer,
  plan: EditPlan,
): Changes {
  if (removesPassword) return { password: null };
  return password && mayChange('password', transfer, plan) ? { password } : {};
}

function changeOfLimit(form: EditForm, transfer: Transfer, plan: EditPlan): Changes {
  const typed = form.maxDownloads.trim();
  if (typed !== '' && !mayChange('maxDownloads', transfer, plan)) return {};
  const maxDownloads = typed === '' ? null : Number(typed);
  const autoDelete = form.autoDelete && maxDownloads !== null;
  return {
    ...(maxDownloads !== transfer.maxDownloads && { maxDownloads }),
    ...(autoDelete !== transfer.autoDeleteAfterDownloads && { autoDeleteAfterDownloads: autoDelete }),
  };
}

/** Compared as the fields show it: they know no seconds. */
function changeOfSchedule(form: EditForm, transfer: Transfer, plan: EditPlan): Changes {
  const { scheduledAvailableAt } = transfer;
  const { scheduledDate: date, scheduledTime: time } = form;
  const present = toLocalDateTime(scheduledAvailableAt);
  if (date === '') return scheduledAvailableAt === null ? {} : { scheduledAvailableAt: null };
  if (!mayChange('schedule', transfer, plan)) return {};
  if (date === present.date && time === present.time) return {};
  return { scheduledAvailableAt: toInstant(date, time || '00:00') };
}
