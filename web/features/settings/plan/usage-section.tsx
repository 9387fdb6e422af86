import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { type CurrentUser, getMonthlyUsage } from '../../../../contracts/accounts/accounts.ts';
import { type TierLimits, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { useTierConfig } from '../../../api/tier-limits.ts';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { SettingsSection } from '../settings-section.tsx';
import { formatNextReset } from './usage-month.ts';

export function UsageSection({ user }: { user: CurrentUser }) {
  return (
    <SettingsSection
      id="usage"
      title={t`Usage`}
      description={t`All uploads count, even after you delete them.`}
    >
      <Usage user={user} />
    </SettingsSection>
  );
}

function Usage({ user }: { user: CurrentUser }) {
  const { tiers, isLoading } = useTierConfig();
  const usage = useQuery({
    ...queryOf(getMonthlyUsage),
    // Other tabs may be uploading.
    staleTime: 0,
  });
  if (usage.error && !usage.data) {
    return (
      <LoadFailure
        message={t`Your usage couldn't be loaded.`}
        error={usage.error}
        onRetry={() => void usage.refetch()}
      />
    );
  }
  if (!usage.data || isLoading) {
    return (
      <SkeletonGroup label={t`Loading your usage`}>
        <Skeleton className="h-9 w-64 max-w-full" />
        <Skeleton className="mt-4 h-2" />
        <Skeleton className="mt-4 h-5 w-80 max-w-full" />
      </SkeletonGroup>
    );
  }
  return <UsageBar usedBytes={usage.data.usage} limits={tiers[user.tier]} planName={tierLabel(user.tier)} />;
}

type UsageBarProps = { usedBytes: number; limits: TierLimits; planName: string };

function UsageBar({ usedBytes, limits, planName }: UsageBarProps) {
  const { monthlyTotal, storagePerTransfer, retentionDays } = limits;
  const resetDate = formatNextReset(Date.now());
  const size = formatSize(storagePerTransfer);
  const [used, total] = [formatSize(usedBytes), formatSize(monthlyTotal)];
  return (
    <div data-testid="usage">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="tabular font-heading text-3xl">{used}</span>
        <span className="tabular text-ink-soft">
          <Trans>of {total} this month</Trans>
        </span>
      </p>
      <ProgressBar
        label={t`This month's usage`}
        value={usedBytes / monthlyTotal}
        valueText={t`${used} of ${total}`}
        state={usedBytes >= monthlyTotal ? 'failed' : 'done'}
        className="mt-4"
      />
      <p className="mt-4 text-sm text-ink-soft">
        {plural(retentionDays, {
          one: `Starts again on ${resetDate} (UTC). The ${planName} plan allows up to ${size} per transfer, kept for up to # day.`,
          other: `Starts again on ${resetDate} (UTC). The ${planName} plan allows up to ${size} per transfer, kept for up to # days.`,
        })}
      </p>
    </div>
  );
}
