import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type QueryFilters, useIsFetching, useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { Redirect } from 'wouter';
import { type AdminStats, getAdminStats, getAdminTrends } from '../../../../contracts/admin/stats.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { formatCents, formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { queryClient } from '../../../api/query-client.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { AdminPage, AdminSection } from '../admin-page.tsx';
import { AttentionSection } from './attention-section.tsx';
import { StorageSection } from './storage-section.tsx';
import { TrendCharts } from './trend-charts.tsx';

/** What the sections of this page show. */
const SHOWN: QueryFilters = {
  type: 'active',
  predicate: ({ queryKey: [path] }) => String(path).startsWith('/api/admin/'),
};

export function AdminDashboardPage() {
  const stats = useQuery({ ...queryOf(getAdminStats), refetchOnMount: 'always' });
  const trends = useQuery({ ...queryOf(getAdminTrends), refetchOnMount: 'always' });
  const isFetching = useIsFetching(SHOWN) > 0;
  return (
    <AdminPage
      title={t`Dashboard`}
      action={
        <IconButton
          label={t`Refresh`}
          icon={<RefreshCw />}
          variant="secondary"
          isBusy={isFetching}
          onClick={() => void queryClient.refetchQueries(SHOWN)}
        />
      }
    >
      {stats.data && <Stats stats={stats.data} />}
      {!stats.data && stats.error && !stats.isFetching && (
        <LoadFailure
          message={t`The numbers couldn't be loaded.`}
          error={stats.error}
          onRetry={() => void stats.refetch()}
        />
      )}
      {!stats.data && (!stats.error || stats.isFetching) && (
        <SkeletonGroup label={t`Loading the numbers`}>
          <Skeleton className="h-42 sm:h-30" />
        </SkeletonGroup>
      )}
      <AttentionSection />
      <AdminSection
        title={t`Last 30 days`}
        aside={
          <span className="text-sm text-ink-faint">
            <Trans>Days in UTC</Trans>
          </span>
        }
        className="mt-rhythm"
      >
        {trends.data && <TrendCharts trends={trends.data} />}
        {!trends.data && trends.error && !trends.isFetching && (
          <LoadFailure
            message={t`The trends couldn't be loaded.`}
            error={trends.error}
            onRetry={() => void trends.refetch()}
          />
        )}
        {!trends.data && (!trends.error || trends.isFetching) && (
          <SkeletonGroup label={t`Loading the trends`} className="grid gap-8 lg:grid-cols-2">
            <Skeleton className="h-54" />
            <Skeleton className="h-54" />
          </SkeletonGroup>
        )}
      </AdminSection>
      <StorageSection />
    </AdminPage>
  );
}

export function AdminHomePage() {
  return <Redirect to={PAGES.adminDashboard} replace />;
}

function Stats({ stats }: { stats: AdminStats }) {
  const shown = [
    [t`Total Users`, formatCount(stats.totalUsers)],
    [t`Active Transfers`, formatCount(stats.activeTransfers)],
    [t`Transfers Today`, formatCount(stats.transfersToday)],
    [t`Total Storage`, formatSize(stats.totalStorage)],
    [t`Pro Users`, formatCount(stats.proUsers)],
    [t`Premium Users`, formatCount(stats.premiumUsers)],
    [t`Monthly Revenue`, formatCents(stats.monthlyRevenue)],
  ];
  return (
    <dl
      aria-label={t`Numbers`}
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
