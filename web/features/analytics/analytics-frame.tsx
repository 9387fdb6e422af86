import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { UseQueryResult } from '@tanstack/react-query';
import { CloudOff, Download, Eye, Lock, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { ANALYTICS_DAYS, type Analytics } from '../../../contracts/analytics.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { useSession } from '../../api/session/session.ts';
import { Button } from '../../components/actions/button.tsx';
import { buttonClasses } from '../../components/actions/button-style.ts';
import { IconButton } from '../../components/actions/icon-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { VisuallyHidden } from '../../components/layout/visually-hidden.tsx';
import { classNames } from '../../lib/class-names.ts';
import { Link, usePlace, withQuery } from '../../lib/routing.tsx';
import { formatUtcDays } from '../../lib/time/format-dates.ts';
import { listRangeChoices, nameOfRange, type RangeChoice, readDays, writeDays } from './ranges.ts';
import { UpgradeInvitation } from './upgrade-invitation.tsx';

type AnalyticsFrameProps<Data extends Analytics> = {
  /** The page's h1 and its back link. */
  heading: ReactNode;
  range: ChosenRange;
  query: UseQueryResult<Data>;
  exportAddress: string;
  nothing: ReactNode;
  children: (analytics: Data) => ReactNode;
};

/** Shared by both pages: range links, export, and the loading, error, empty and upgrade states. */
export function AnalyticsFrame<Data extends Analytics>(props: AnalyticsFrameProps<Data>) {
  const { heading, range, query, exportAddress, nothing, children } = props;
  const { data, error, isFetching, isPlaceholderData, refetch } = query;
  const isRefused = error instanceof ApiError && error.status === 402;
  if (range.longestDays === 0 || isRefused) {
    return (
      <>
        {heading}
        <UpgradeInvitation />
      </>
    );
  }
  return (
    <div className="animate-fade-in">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-5">
        <div className="min-w-0">
          {heading}
          <p className="tabular mt-2 min-h-5 text-sm text-ink-faint">
            {data && t`${formatUtcDays(data)}, days in UTC`}
          </p>
        </div>
        <div className="flex items-center gap-2">
          <IconButton
            label={t`Refresh`}
            icon={<RefreshCw />}
            variant="secondary"
            isBusy={isFetching}
            onClick={() => refetch()}
          />
          <a href={exportAddress} download className={buttonClasses('secondary', 'md')}>
            <Download aria-hidden="true" />
            <Trans>Export CSV</Trans>
          </a>
        </div>
      </header>
      <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
        <RangeLinks {...range} />
        <LongerHistory {...range} />
      </div>
      <VisuallyHidden isAnnounced>
        {data && !error && (isFetching ? t`Updating the numbers` : t`Up to date`)}
      </VisuallyHidden>
      {!data && (error && !isFetching ? <Failure error={error} onRetry={refetch} /> : <Placeholder />)}
      {data && error && !isFetching && (
        <p role="alert" className="mt-4 text-sm text-danger-ink">
          <Trans>These numbers may be out of date. {errorDetail(error)}</Trans>
        </p>
      )}
      {data && (
        <div aria-busy={isPlaceholderData} className="transition-opacity aria-busy:opacity-60">
          {isBlank(data) ? nothing : children(data)}
        </div>
      )}
    </div>
  );
}

function isBlank({ totals: { views, downloads } }: Analytics): boolean {
  return views === 0 && downloads === 0;
}

function LongerHistory({ longestDays }: ChosenRange) {
  if (listRangeChoices(longestDays).every(({ tier }) => !tier)) return null;
  return (
    <p className="text-sm text-ink-faint">
      <Trans>
        Premium shows up to 24 months.{' '}
        <Link to="/pricing" className="link inline-block py-0.5">
          Upgrade
        </Link>
      </Trans>
    </p>
  );
}

type NothingYetProps = { range: ChosenRange; advice: string; action: ReactNode };

/** Empty state; suggests a longer range if the plan has one. */
export function NothingYet({ range: { days, longestDays }, advice, action }: NothingYetProps) {
  const { pathname } = usePlace();
  const isLongest = days >= longestDays;
  return (
    <EmptyState
      icon={<Eye />}
      title={isLongest ? t`No views yet` : t`No views in the last ${nameOfRange(days)}`}
      description={
        isLongest ? (
          advice
        ) : (
          <Trans>
            {advice}{' '}
            <Link to={withQuery(pathname, writeDays(longestDays))} className="link">
              Show the last {nameOfRange(longestDays)}
            </Link>
          </Trans>
        )
      }
      action={action}
    />
  );
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title={t`The numbers couldn't be loaded`}
      description={errorDetail(error)}
      action={
        <Button onClick={() => onRetry()}>
          <Trans>Try again</Trans>
        </Button>
      }
    />
  );
}

function Placeholder() {
  return (
    <SkeletonGroup label={t`Loading the numbers`}>
      <Skeleton className="mt-rhythm h-24" />
      <Skeleton className="mt-rhythm h-6 w-48" />
      <Skeleton className="mt-4 h-60" />
      <div className="mt-rhythm grid gap-x-12 gap-y-rhythm lg:grid-cols-2">
        <Skeleton className="h-64" />
        <Skeleton className="h-64" />
      </div>
    </SkeletonGroup>
  );
}

const SEGMENT =
  'flex h-8.5 items-center justify-center gap-1.5 rounded-sm px-2.5 text-sm font-medium whitespace-nowrap sm:px-3 ' +
  'transition-colors duration-(--quick)';

/** Links, because each range has its own address. */
function RangeLinks({ days, longestDays }: ChosenRange) {
  const { pathname } = usePlace();
  const choices = listRangeChoices(longestDays);
  return (
    <nav
      aria-label={t`Range`}
      className="flex rounded-md border border-edge bg-surface p-1 max-sm:w-full max-sm:justify-between"
    >
      {choices.map((choice) =>
        choice.tier ? (
          <LockedRange key={choice.days} {...choice} />
        ) : (
          <Link
            key={choice.days}
            to={withQuery(pathname, writeDays(choice.days))}
            aria-current={choice.days === days || undefined}
            className={classNames(
              SEGMENT,
              choice.days === days
                ? 'bg-accent-wash text-accent-ink'
                : 'text-ink-soft hover:bg-hover hover:text-ink',
            )}
          >
            <Label {...choice} />
          </Link>
        ),
      )}
    </nav>
  );
}

function LockedRange({ tier, ...range }: RangeChoice) {
  const plan = tierLabel(tier!);
  return (
    <Link
      to="/pricing"
      title={t`${range.label}: part of the ${plan} plan`}
      className={classNames(SEGMENT, 'text-ink-faint hover:bg-hover hover:text-ink')}
    >
      <Lock aria-hidden="true" className="size-3.5 max-sm:hidden" />
      <Label {...range} />
      <VisuallyHidden>{t`Part of the ${plan} plan`}</VisuallyHidden>
    </Link>
  );
}

/** The accessible name contains the visible text (WCAG 2.5.3), also if that is short. */
function Label({ label, shortLabel }: Pick<RangeChoice, 'label' | 'shortLabel'>) {
  return (
    <>
      <span className="max-sm:hidden">{label}</span>
      <span className="sm:hidden">
        {shortLabel} <VisuallyHidden>({label})</VisuallyHidden>
      </span>
    </>
  );
}

/** `longestDays` is the plan's limit, 0 for a plan without analytics. */
type ChosenRange = { days: number; longestDays: number };

export function useRange(): ChosenRange {
  const [params] = useSearchParams();
  const { user } = useSession();
  const tier = user?.tier ?? 'free';
  const longestDays = tier === 'free' ? 0 : ANALYTICS_DAYS[tier];
  return { days: readDays(params, longestDays), longestDays };
}
