import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import type { Plan } from './upload-limits.ts';

type PlanFactsProps = { plan: Plan; isUsageLoading: boolean };

/** What the sender's plan allows; for free users also how much of the month is used. */
export function PlanFacts({ plan: { tier, limits, monthlyUsage }, isUsageLoading }: PlanFactsProps) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-4">
      <p className="text-ink-soft" data-testid="plan-facts">
        {tierLabel(tier)} plan: up to{' '}
        <strong className="text-ink">{formatSize(limits.storagePerTransfer)}</strong> per transfer, kept for
        up to{' '}
        <strong className="text-ink">
          {limits.retentionDays} {limits.retentionDays === 1 ? 'day' : 'days'}
        </strong>
      </p>
      {tier === 'free' && isUsageLoading && (
        <SkeletonGroup label="Loading your usage" className="flex w-full flex-col gap-2 sm:max-w-80">
          <Skeleton className="h-5" />
          <Skeleton className="h-1" />
        </SkeletonGroup>
      )}
      {tier === 'free' && monthlyUsage !== undefined && (
        <div className="flex w-full sm:max-w-80 flex-col gap-2" data-testid="monthly-usage">
          <p className="tabular flex justify-between text-sm text-ink-soft">
            <span>Monthly usage</span>
            <span>
              {formatSize(monthlyUsage)} / {formatSize(limits.monthlyTotal)}
            </span>
          </p>
          <ProgressBar
            label="Monthly usage"
            value={monthlyUsage / limits.monthlyTotal}
            valueText={`${formatSize(monthlyUsage)} of ${formatSize(limits.monthlyTotal)}`}
            state={monthlyUsage >= limits.monthlyTotal ? 'failed' : 'done'}
            size="sm"
          />
        </div>
      )}
    </div>
  );
}
