import { plural, t } from '@lingui/core/macro';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import { resolveExpiry } from '../../../contracts/transfers/settings-rules.ts';
import { isEmail } from '../../../contracts/values/fields.ts';
import { parseEmails } from '../../lib/values/email-list.ts';
import { type SettingsForm, type SettingsPlan, toChanges } from '../../transfer-settings/settings-form.ts';

const moments = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** The main settings in short: 'Expires Nov 24, 2:00 PM', '3 recipients'. `now` in epoch milliseconds. */
export function describeShare(form: SettingsForm, plan: SettingsPlan, now: number): string[] {
  const settings = toChanges(form, plan);
  const { scheduledAvailableAt, maxDownloads } = settings;
  const expiry = resolveExpiry(settings, { now });
  const recipients = parseEmails(form.recipients).filter(isEmail).length;
  const parts = [
    scheduledAvailableAt && t`Opens ${moments.format(Date.parse(scheduledAvailableAt))}`,
    expiry !== null && t`Expires ${moments.format(expiry)}`,
    recipients > 0 && plural(recipients, { one: '# recipient', other: '# recipients' }),
    maxDownloads && describeLimit(maxDownloads, settings.autoDeleteAfterDownloads === true),
    tierIncludes(plan.tier, 'password') && form.password !== '' && t`Password`,
  ];
  return parts.filter((part) => typeof part === 'string');
}

function describeLimit(maxDownloads: number, isDeletedThen: boolean): string {
  return isDeletedThen
    ? plural(maxDownloads, {
        one: '# download at most, then deleted',
        other: '# downloads at most, then deleted',
      })
    : plural(maxDownloads, { one: '# download at most', other: '# downloads at most' });
}
