import { useQuery } from '@tanstack/react-query';
import { getTierConfig } from '../../../contracts/plans/tiers.ts';
import { call } from '../../api/call.ts';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { AdminPage } from './admin-page.tsx';
import { Failure } from './admin-states.tsx';
import { TierForm } from './tier-form.tsx';

/** Edits the limits and prices of the plans. */
export function AdminSettingsPage() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [getTierConfig.path],
    queryFn: ({ signal }) => call(getTierConfig, { signal }),
    refetchOnMount: 'always',
  });
  return (
    <AdminPage
      title="Tier Settings"
      description="Changes hold from the next request on. Transfers that exist keep their end."
    >
      {data && <TierForm config={data} />}
      {!data && error && !isFetching && (
        <Failure what="The settings" error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label="Loading the settings" className="grid gap-6 lg:grid-cols-3">
          {['free', 'pro', 'premium'].map((tier) => (
            <Skeleton key={tier} className="h-96" />
          ))}
        </SkeletonGroup>
      )}
    </AdminPage>
  );
}
