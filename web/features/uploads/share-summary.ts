import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { isEmail } from '../../../contracts/values/fields.ts';
import { parseEmails } from '../../lib/email-list.ts';
import { type ShareForm, type ShareRules, toSettings } from './share-form.ts';

const DAY_MS = 86_400_000;
const moments = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** What will happen with this form, in the order people ask: 'Expires Nov 24, 2:00 PM', '3 recipients'. */
export function describeShare(form: ShareForm, rules: Omit<ShareRules, 'needsPassword'>): string[] {
  const settings = toSettings(form, rules);
  const { expiresAt, expirationDays, scheduledAvailableAt, maxDownloads } = settings;
  const expiry = expiresAt ? Date.parse(String(expiresAt)) : rules.now + Number(expirationDays) * DAY_MS;
  const recipients = parseEmails(form.recipients).filter(isEmail).length;
  const parts = [
    scheduledAvailableAt && `Opens ${moments.format(Date.parse(String(scheduledAvailableAt)))}`,
    `Expires ${moments.format(expiry)}`,
    recipients > 0 && count(recipients, 'recipient'),
    maxDownloads && describeLimit(Number(maxDownloads), settings.autoDeleteAfterDownloads === true),
    tierIncludes(rules.tier, 'password') && form.password !== '' && 'Password',
  ];
  return parts.filter((part) => typeof part === 'string');
}

function describeLimit(maxDownloads: number, isDeletedThen: boolean): string {
  return `${count(maxDownloads, 'download')} at most${isDeletedThen ? ', then deleted' : ''}`;
}

function count(amount: number, singular: string): string {
  return `${amount.toLocaleString('en')} ${singular}${amount === 1 ? '' : 's'}`;
}
