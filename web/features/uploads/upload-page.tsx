import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { getMonthlyUsage } from '../../../contracts/accounts/accounts.ts';
import { call } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { useTierConfig } from '../../api/tier-limits.ts';
import { AddFiles } from './add-files.tsx';
import { PlanFacts } from './plan-facts.tsx';
import { UploadWorkspace } from './upload-workspace.tsx';
import { USAGE_KEY } from './use-outcome.ts';

/**
 * Where senders choose files, decide how they are shared, and watch them go (specification section 2). With
 * `?to={transferId}` the files are added to a transfer that was sent already.
 */
export function UploadPage() {
  const { user } = useSession();
  const { tiers } = useTierConfig();
  const [search] = useSearchParams();
  // Other tabs and visitors' uploads use the month too, hence a look at every visit.
  const usage = useQuery({ queryKey: USAGE_KEY, queryFn: () => call(getMonthlyUsage), staleTime: 0 });
  if (!user) return null;
  const plan = { tier: user.tier, limits: tiers[user.tier], monthlyUsage: usage.data?.usage };
  const to = search.get('to');
  return (
    <>
      <h1 className="text-3xl">{to === null ? 'Upload Files' : 'Add Files'}</h1>
      <div className="mt-3">
        <PlanFacts plan={plan} isUsageLoading={usage.isLoading} />
      </div>
      {to === null ? (
        <UploadWorkspace userId={user.id} plan={plan} />
      ) : (
        <AddFiles key={to} transferId={to} userId={user.id} plan={plan} />
      )}
    </>
  );
}
