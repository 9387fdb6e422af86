import { plural, t } from '@lingui/core/macro';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { resolveExpiry } from '../../../contracts/transfers/settings/settings-rules.ts';
import { isEmail } from '../../../contracts/values/fields.ts';
import { i18n } from '../../lib/language/messages.tsx';
import { parseEmails } from '../../lib/values/email-list.ts';
import {
  type SettingsChanges,
  type SettingsForm,
  type SettingsPlan,
  toChanges,
} from '../../transfer-settings/settings-form.ts';

const moments = new Intl.DateTimeFormat(i18n.locale, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/**
 * The settings in short: 'Expires in 90 days', 'No password', 'No limit', '3 recipients'. `now` in epoch milliseconds.
 */
export function describeShare(
  form: SettingsForm,
  plan: SettingsPlan,
  { now, isEncrypted }: { now: number; isEncrypted: boolean },
): string[] {
  const settings = toChanges(form, plan);
  const { scheduledAvailableAt, maxDownloads } = settings;
  const recipients = parseEmails(form.recipients).filter(isEmail).length;
  const hasPassword = tierIncludes(plan.tier, 'password') && form.password !== '';
  const parts = [
    isEncrypted && t`End-to-end encrypted`,
    recipients > 0 && plural(recipients, { one: '# recipient', other: '# recipients' }),
    scheduledAvailableAt && t`Opens ${moments.format(Date.parse(scheduledAvailableAt))}`,
    describeExpiry(settings, now),
    hasPassword ? t`Password` : t`No password`,
    maxDownloads ? describeLimit(maxDownloads, settings.autoDeleteAfterDownloads === true) : t`No limit`,
  ];
  return parts.filter((part) => typeof part === 'string');
}

function describeExpiry(settings: SettingsChanges, now: number): string {
  const days = settings.expiresAt ? undefined : settings.expirationDays;
  if (typeof days === 'number') return plural(days, { one: 'Expires in # day', other: 'Expires in # days' });
  const expiry = resolveExpiry(settings, { now });
  if (expiry === null) return t`Never expires`;
  return t({ context: 'date and time', message: `Expires ${moments.format(expiry)}` });
}

function describeLimit(maxDownloads: number, isDeletedThen: boolean): string {
  return isDeletedThen
    ? plural(maxDownloads, {
        one: '# download at most, then deleted',
        other: '# downloads at most, then deleted',
      })
    : plural(maxDownloads, { one: '# download at most', other: '# downloads at most' });
}
