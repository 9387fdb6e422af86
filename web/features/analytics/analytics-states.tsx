import { CloudOff, Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { errorDetail } from '../../../client/api-error.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { nameOfRange, writeDays } from './ranges.ts';
import type { ChosenRange } from './use-range.ts';

type NothingYetProps = { range: ChosenRange; advice: string; action: ReactNode };

/** Nobody came in this range; a longer one may know of somebody. */
export function NothingYet({ range: { days, longestDays }, advice, action }: NothingYetProps) {
  const isLongest = days >= longestDays;
  return (
    <EmptyState
      icon={<Eye />}
      title={isLongest ? 'No views yet' : `No views in the last ${nameOfRange(days)}`}
      description={
        isLongest ? (
          advice
        ) : (
          <>
            {advice} Or{' '}
            <Link to={{ search: writeDays(longestDays) }} className="link">
              look at the last {nameOfRange(longestDays)}
            </Link>
            .
          </>
        )
      }
      action={action}
    />
  );
}

export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title="The numbers did not load"
      description={errorDetail(error)}
      action={<Button onClick={() => onRetry()}>Try again</Button>}
    />
  );
}

export function Placeholder() {
  return (
    <SkeletonGroup label="Loading the numbers">
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
