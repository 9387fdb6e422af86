import { RefreshCw } from 'lucide-react';
import { getAdminStats, getAdminTrends } from '../../../contracts/admin/stats.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { AdminPage } from './admin-page.tsx';
import { AdminSection } from './admin-section.tsx';
import { SmallFailure } from './admin-states.tsx';
import { AttentionSection } from './attention-section.tsx';
import { useFresh } from './dashboard-queries.ts';
import { Stats } from './stats.tsx';
import { StorageSection } from './storage-section.tsx';
import { TrendCharts } from './trend-charts.tsx';

export function AdminDashboardPage() {
  const stats = useFresh(getAdminStats);
  const trends = useFresh(getAdminTrends);
  const refresh = () => Promise.all([stats.refetch(), trends.refetch()]);
  return (
    <AdminPage
      title="Dashboard"
      action={
        <IconButton
          label="Refresh"
          icon={<RefreshCw />}
          variant="secondary"
          isBusy={stats.isFetching || trends.isFetching}
          onClick={() => void refresh()}
        />
      }
    >
      {stats.data && <Stats stats={stats.data} />}
      {!stats.data && stats.error && !stats.isFetching && (
        <SmallFailure what="The numbers" error={stats.error} onRetry={() => void stats.refetch()} />
      )}
      {!stats.data && (!stats.error || stats.isFetching) && (
        <SkeletonGroup label="Loading the numbers">
          <Skeleton className="h-42 sm:h-30" />
        </SkeletonGroup>
      )}
      <AttentionSection />
      <AdminSection
        title="Last 30 days"
        aside={<span className="text-sm text-ink-faint">Days in UTC</span>}
        className="mt-rhythm"
      >
        {trends.data && <TrendCharts trends={trends.data} />}
        {!trends.data && trends.error && !trends.isFetching && (
          <SmallFailure what="The trends" error={trends.error} onRetry={() => void trends.refetch()} />
        )}
        {!trends.data && (!trends.error || trends.isFetching) && (
          <SkeletonGroup label="Loading the trends" className="grid gap-8 lg:grid-cols-2">
            <Skeleton className="h-54" />
            <Skeleton className="h-54" />
          </SkeletonGroup>
        )}
      </AdminSection>
      <StorageSection />
    </AdminPage>
  );
}
