import { CloudOff, SearchX } from 'lucide-react';
import { errorDetail } from '../../../client/api-error.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';

const ROWS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** Rows that are still to come. `what`: "users". */
export function LoadingRows({ what }: { what: string }) {
  return (
    <SkeletonGroup label={`Loading the ${what}`} className="flex flex-col gap-3">
      <Skeleton className="mb-1 h-5 w-full" />
      {ROWS.map((row) => (
        <Skeleton key={row} className="h-13 w-full" />
      ))}
    </SkeletonGroup>
  );
}

/** What was asked for did not come. `what`: "The users". */
export function Failure({ what, error, onRetry }: { what: string; error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title={`${what} did not load`}
      description={errorDetail(error)}
      action={<Button onClick={onRetry}>Try again</Button>}
    />
  );
}

/** The same within a page of which other parts came. */
export function SmallFailure({ what, error, onRetry }: { what: string; error: Error; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center justify-between gap-4">
      <p className="text-ink-soft">
        {what} did not load. {errorDetail(error)}
      </p>
      <Button variant="secondary" size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** There are some, but none like this. `what`: "users". */
export function NothingFound({ what, onClear }: { what: string; onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchX />}
      title={`No ${what} found`}
      description="Nothing is like what you search for."
      action={
        <Button variant="secondary" onClick={onClear}>
          Show all {what}
        </Button>
      }
    />
  );
}
