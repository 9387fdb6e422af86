import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { LockKeyhole } from 'lucide-react';
import { Suspense } from 'react';
import { useSearchParams } from 'wouter';
import { getMonthlyUsage } from '../../../contracts/accounts/accounts.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { useSession } from '../../api/session/session.ts';
import { useTierConfig } from '../../api/tier-limits.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { ProgressBar } from '../../components/feedback/progress-bar.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { lazy } from '../../lib/loading/lazy.ts';
import type { Plan } from './upload-limits.ts';
import { UploadWorkspace } from './upload-workspace.tsx';

const AddFiles = lazy(() => import('./add-files.tsx').then((module) => ({ default: module.AddFiles })));

/** The upload page. `?to={transferId}` adds files to a transfer that was sent. */
export function UploadPage() {
  const { user } = useSession();
  const { tiers, isKnown } = useTierConfig();
  const [search] = useSearchParams();
  // Refetched on every visit, because other tabs and visitors' uploads count too.
  const usage = useQuery({ ...queryOf(getMonthlyUsage), staleTime: 0 });
  if (!user) return null;
  const plan = { tier: user.tier, limits: tiers[user.tier], isKnown, monthlyUsage: usage.data?.usage };
  const to = search.get('to');
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 className="text-3xl">{to === null ? t`Upload Files` : t`Add Files`}</h1>
        {to === null && (
          <LinkButton to={PAGES.secretText} variant="secondary" size="sm" icon={<LockKeyhole />}>
            <Trans>Secret text</Trans>
          </LinkButton>
        )}
      </div>
      <div className="mt-3">
        <PlanFacts plan={plan} isUsageLoading={usage.isLoading} />
      </div>
      {to === null ? (
        <UploadWorkspace userId={user.id} plan={plan} />
      ) : (
        <Suspense fallback={null}>
          <AddFiles key={to} transferId={to} userId={user.id} plan={plan} />
        </Suspense>
      )}
    </>
  );
}

type PlanFactsProps = { plan: Plan; isUsageLoading: boolean };

/** The plan's limits, and for free users the month's usage. */
export function PlanFacts({ plan, isUsageLoading }: PlanFactsProps) {
  const { tier, limits, isKnown, monthlyUsage } = plan;
  const facts = (
    <Trans>
      {tierLabel(tier)} plan: up to{' '}
      <strong className="text-ink">{formatSize(limits.storagePerTransfer)}</strong> per transfer, kept for up
      to{' '}
      <strong className="text-ink">
        <Plural value={limits.retentionDays} one="# day" other="# days" />
      </strong>
    </Trans>
  );
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-4">
      {isKnown ? (
        <p className="text-ink-soft" data-testid="plan-facts">
          {facts}
        </p>
      ) : (
        <SkeletonGroup label={t`Loading your plan`} className="relative">
          {/* Takes the lines that the facts will take. */}
          <p aria-hidden="true" className="invisible">
            {facts}
          </p>
          <Skeleton className="absolute inset-0.5" />
        </SkeletonGroup>
      )}
      {tier === 'free' && isUsageLoading && (
        <SkeletonGroup label={t`Loading your usage`} className="flex w-full flex-col gap-2 sm:max-w-80">
          <Skeleton className="h-5" />
          <Skeleton className="h-1" />
        </SkeletonGroup>
      )}
      {tier === 'free' && monthlyUsage !== undefined && (
        <div className="flex w-full sm:max-w-80 flex-col gap-2" data-testid="monthly-usage">
          <p className="tabular flex justify-between text-sm text-ink-soft">
            <span>
              <Trans>Monthly usage</Trans>
            </span>
            <span>
              {formatSize(monthlyUsage)} / {formatSize(limits.monthlyTotal)}
            </span>
          </p>
          <ProgressBar
            label={t`Monthly usage`}
            value={monthlyUsage / limits.monthlyTotal}
            valueText={t`${formatSize(monthlyUsage)} of ${formatSize(limits.monthlyTotal)}`}
            state={monthlyUsage >= limits.monthlyTotal ? 'failed' : 'done'}
            size="sm"
          />
        </div>
      )}
    </div>
  );
}
