import type { AdminStats } from '../../../contracts/admin/stats.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { formatCents, formatCount } from './wording.ts';

export function Stats({ stats }: { stats: AdminStats }) {
  const shown = [
    ['Total Users', formatCount(stats.totalUsers)],
    ['Active Transfers', formatCount(stats.activeTransfers)],
    ['Transfers Today', formatCount(stats.transfersToday)],
    ['Total Storage', formatSize(stats.totalStorage)],
    ['Pro Users', formatCount(stats.proUsers)],
    ['Premium Users', formatCount(stats.premiumUsers)],
    ['Monthly Revenue', formatCents(stats.monthlyRevenue)],
  ];
  return (
    <dl
      aria-label="Numbers"
      className="grid grid-cols-2 gap-x-6 gap-y-7 border-y border-line py-7 sm:grid-cols-4"
    >
      {shown.map(([label, value]) => (
        <div
          key={label}
          data-testid="stat"
          className="flex min-w-0 flex-col-reverse justify-end gap-1 last:max-sm:col-span-2"
        >
          <dt className="text-sm text-ink-faint">{label}</dt>
          <dd className="tabular font-heading text-2xl wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
