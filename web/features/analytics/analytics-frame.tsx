import type { UseQueryResult } from '@tanstack/react-query';
import { Download, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import type { Analytics } from '../../../contracts/analytics.ts';
import { buttonClasses } from '../../components/button-style.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { Failure, Placeholder } from './analytics-states.tsx';
import { RangeLinks } from './range-links.tsx';
import { listRangeChoices } from './ranges.ts';
import { UpgradeInvitation } from './upgrade-invitation.tsx';
import type { ChosenRange } from './use-range.ts';
import { formatDays } from './wording.ts';

type AnalyticsFrameProps<Data extends Analytics> = {
  /** The page's h1, and what leads back. */
  heading: ReactNode;
  range: ChosenRange;
  query: UseQueryResult<Data>;
  /** Where the same numbers are as CSV. */
  exportAddress: string;
  /** Stands where the numbers would, when nobody has come. */
  nothing: ReactNode;
  children: (analytics: Data) => ReactNode;
};

/** What both pages share: the range, the ways out, and all that can be there instead of numbers. */
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
            {data && `${formatDays(data)}, days in UTC`}
          </p>
        </div>
        <div className="flex items-center gap-2">
          <IconButton
            label="Refresh"
            icon={<RefreshCw />}
            variant="secondary"
            isBusy={isFetching}
            onClick={() => refetch()}
          />
          <a href={exportAddress} download className={buttonClasses('secondary', 'md')}>
            <Download aria-hidden="true" />
            Export CSV
          </a>
        </div>
      </header>
      <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
        <RangeLinks {...range} />
        <LongerHistory {...range} />
      </div>
      <VisuallyHidden isAnnounced>
        {data && !error && (isFetching ? 'Asking for the numbers' : 'Up to date')}
      </VisuallyHidden>
      {!data && (error && !isFetching ? <Failure error={error} onRetry={refetch} /> : <Placeholder />)}
      {data && error && !isFetching && (
        <p role="alert" className="mt-4 text-sm text-danger-ink">
          These numbers may be old. {errorDetail(error)}
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

/** Says what the locks mean. */
function LongerHistory({ longestDays }: ChosenRange) {
  if (listRangeChoices(longestDays).every(({ tier }) => !tier)) return null;
  return (
    <p className="text-sm text-ink-faint">
      Premium tells up to 24 months.{' '}
      <Link to="/pricing" className="link inline-block py-0.5">
        Upgrade
      </Link>
    </p>
  );
}
