import { formatSize } from '../../../../contracts/values/sizes.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';

const ACTIONS: Record<string, string> = {
  'user.create': 'Created user',
  'user.delete': 'Deleted user',
  'user.tier': 'Changed the plan of',
  'user.admin': 'Changed administrator rights of',
  'user.reset-password': 'Reset the password of',
  'transfer.delete': 'Deleted transfer',
  'transfer.extend': 'Extended transfer',
  'transfer.take-down': 'Took down transfer',
  'transfer.reopen': 'Opened transfer again',
  'file.release': 'Released file',
  'content.block': 'Blocked the content of',
  'content.unblock': 'Allowed again the content of',
  'report.dismiss': 'Dismissed a report about',
  'coupon.create': 'Created coupon',
  'coupon.delete': 'Deleted coupon',
  'ad.create': 'Created ad',
  'ad.update': 'Changed ad',
  'ad.toggle': 'Switched ad',
  'ad.delete': 'Deleted ad',
  'tier-config.update': 'Changed settings',
  'registration.update': 'Changed settings',
  'account-invitation.create': 'Invited',
  'account-invitation.resend': 'Sent the invitation again to',
  'account-invitation.revoke': 'Revoked the invitation of',
  'mail.retry': 'Sent mail again',
  'job.retry': 'Ran job again',
  'clock.confirm': 'Confirmed',
  'sweep.confirm': 'Confirmed',
};

/** Options of the action filter. */
export const ACTION_GROUPS = [
  { value: 'user', label: 'Users' },
  { value: 'transfer', label: 'Transfers' },
  { value: 'report', label: 'Reports' },
  { value: 'file', label: 'Released files' },
  { value: 'content', label: 'Blocked contents' },
  { value: 'coupon', label: 'Coupons' },
  { value: 'ad', label: 'Ads' },
  { value: 'tier-config', label: 'Settings' },
  { value: 'registration', label: 'Registration' },
  { value: 'account-invitation', label: 'Invitations' },
  { value: 'mail', label: 'Mails' },
  { value: 'job', label: 'Jobs' },
  { value: 'clock', label: 'Clock' },
  { value: 'sweep', label: 'Sweeps' },
];

/** 'Deleted user'; unknown actions keep their name. */
export function describeAction(action: string): string {
  return ACTIONS[action] ?? action;
}

/** One line per detail; of `from` and `to`, only what differs. */
export function describeDetails({ from, to, ...details }: Record<string, unknown>): string[] {
  const others = flatten(details).map(([name, value]) => `${name}: ${value}`);
  if (from === undefined && to === undefined) return others;
  const before = new Map(flatten(from));
  const changes = flatten(to)
    .filter(([name, value]) => before.get(name) !== value)
    .map(([name, value]) => `${name ? `${name}: ` : ''}${before.get(name) ?? 'nothing'} → ${value}`);
  return [...changes, ...others];
}

/** Every leaf with its path ('free.price'), without empty values. */
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
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && /(storagePerTransfer|monthlyTotal|[bB]ytes)$/.test(path))
    return formatSize(value);
  const isInstant = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value);
  return isInstant ? formatDateTime(value) : String(value);
}
