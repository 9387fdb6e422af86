import { t } from '@lingui/core/macro';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';

const ACTIONS: Record<string, string> = {
  'user.create': t`Created user`,
  'user.delete': t`Deleted user`,
  'user.tier': t`Changed the plan of`,
  'user.admin': t`Changed administrator rights of`,
  'user.reset-password': t`Reset the password of`,
  'user.reset-second-factor': t`Removed the second factor of`,
  'user.sign-out': t`Signed out`,
  'transfer.delete': t`Deleted transfer`,
  'transfer.extend': t`Extended transfer`,
  'transfer.take-down': t`Took down transfer`,
  'transfer.reopen': t`Opened transfer again`,
  'file.release': t`Released file`,
  'content.block': t`Blocked the content of`,
  'content.unblock': t`Allowed again the content of`,
  'report.dismiss': t`Dismissed a report about`,
  'coupon.create': t`Created coupon`,
  'coupon.delete': t`Deleted coupon`,
  'ad.create': t`Created ad`,
  'ad.update': t`Changed ad`,
  'ad.toggle': t`Switched ad`,
  'ad.delete': t`Deleted ad`,
  'tier-config.update': t`Changed settings`,
  'registration.update': t`Changed settings`,
  'sign-in-policy.update': t`Changed settings`,
  'identity-provider.create': t`Added sign-in provider`,
  'identity-provider.update': t`Changed sign-in provider`,
  'identity-provider.delete': t`Deleted sign-in provider`,
  'identity-provider.test': t`Tested sign-in provider`,
  'identity-provider.check-domain': t`Checked a domain of sign-in provider`,
  'account-invitation.create': t`Invited`,
  'account-invitation.resend': t`Sent the invitation again to`,
  'account-invitation.revoke': t`Revoked the invitation of`,
  'mail.retry': t`Sent mail again`,
  'job.retry': t`Ran job again`,
  'clock.confirm': t`Confirmed`,
  'sweep.confirm': t`Confirmed`,
};

export const ACTION_GROUPS = [
  { value: 'user', label: t`Users` },
  { value: 'transfer', label: t`Transfers` },
  { value: 'report', label: t`Reports` },
  { value: 'file', label: t`Released files` },
  { value: 'content', label: t`Blocked contents` },
  { value: 'coupon', label: t`Coupons` },
  { value: 'ad', label: t`Ads` },
  { value: 'tier-config', label: t`Settings` },
  { value: 'registration', label: t`Registration` },
  { value: 'sign-in-policy', label: t`Signing in` },
  { value: 'identity-provider', label: t`Sign-in providers` },
  { value: 'account-invitation', label: t`Invitations` },
  { value: 'mail', label: t`Mails` },
  { value: 'job', label: t`Jobs` },
  { value: 'clock', label: t`Clock` },
  { value: 'sweep', label: t`Sweeps` },
];

/** 'Deleted user'; unknown actions keep their name. */
export function describeAction(action: string): string {
  return ACTIONS[action] ?? action;
}

/** One line per detail. Only the fields that differ between `from` and `to` are listed. */
export function describeDetails({ from, to, ...details }: Record<string, unknown>): string[] {
  const others = flatten(details).map(([name, value]) => `${name}: ${value}`);
  if (from === undefined && to === undefined) return others;
  const before = new Map(flatten(from));
  const changes = flatten(to)
    .filter(([name, value]) => before.get(name) !== value)
    .map(([name, value]) => `${name ? `${name}: ` : ''}${before.get(name) ?? t`nothing`} → ${value}`);
  return [...changes, ...others];
}

/** Lists the leaf values with their paths ('free.price'); skips empty values. */
function flatten(value: unknown, path = ''): [path: string, text: string][] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object') return [[labelOf(path), formatValue(path, value)]];
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, path ? `${path}.${name}` : name));
}

/** 'free.retentionDays' → 'free: retention days' */
function labelOf(path: string): string {
  return path
    .replaceAll('.', ': ')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^is (?=admin|active)/, '');
}

function formatValue(path: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? t`yes` : t`no`;
  if (typeof value === 'number' && /(storagePerTransfer|monthlyTotal|[bB]ytes)$/.test(path))
    return formatSize(value);
  const isInstant = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value);
  return isInstant ? formatDateTime(value) : String(value);
}
