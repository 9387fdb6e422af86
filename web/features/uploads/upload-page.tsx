import { useQuery } from '@tanstack/react-query';
import { getMonthlyUsage } from '../../../contracts/accounts.ts';
import { call } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { useTierConfig } from '../../api/tier-limits.ts';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { PlanFacts } from './plan-facts.tsx';
import { UploadWorkspace } from './upload-workspace.tsx';
import { USAGE_KEY } from './use-outcome.ts';

/** Where senders choose files, decide how they are shared, and watch them go (specification section 2). */
export function UploadPage() {
  const { user } = useSession();
  const { tiers, isLoading } = useTierConfig();
  // Other tabs and visitors' uploads use the month too, hence a look at every visit.
  const usage = useQuery({ queryKey: USAGE_KEY, queryFn: () => call(getMonthlyUsage), staleTime: 0 });
  if (!user) return null;
  const plan = { tier: user.tier, limits: tiers[user.tier], monthlyUsage: usage.data?.usage };
  return (
    <>
      <h1 className="text-3xl">Upload Files</h1>
      {isLoading ? (
        <UploadSkeleton />
      ) : (
        <>
          <div className="mt-3">
            <PlanFacts plan={plan} />
          </div>
          <UploadWorkspace userId={user.id} plan={plan} />
        </>
      )}
    </>
  );
}

function UploadSkeleton() {
  return (
    <SkeletonGroup className="mt-12 grid gap-8 lg:grid-cols-[1fr_24rem]">
      <Skeleton className="h-96" />
      <Skeleton className="h-[40rem]" />
    </SkeletonGroup>
  );
}
