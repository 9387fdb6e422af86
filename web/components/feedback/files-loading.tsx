import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { formatCount } from '../../../contracts/values/format.ts';
import { Button } from '../actions/button.tsx';
import { Skeleton, SkeletonGroup } from './skeleton.tsx';
import { Spinner } from './spinner.tsx';

type FilesLoadingProps = {
  loadedCount: number;
  fileCount: number;
  state: 'loading' | 'complete' | 'failed';
  retry: () => void;
};

/** How much of a long list has been loaded. Renders nothing when all of it has. */
export function FilesLoadingNote({ loadedCount, fileCount, state, retry }: FilesLoadingProps) {
  if (state === 'complete') return null;
  const counts = t`${formatCount(loadedCount)} of ${formatCount(fileCount)} files`;
  if (state === 'failed')
    return (
      <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm text-ink-soft">
        <p className="tabular">
          <Trans>Only {counts} could be loaded.</Trans>
        </p>
        <Button variant="secondary" size="sm" onClick={retry}>
          <Trans>Try again</Trans>
        </Button>
      </div>
    );
  return (
    <p className="tabular flex items-center gap-2 text-sm text-ink-soft">
      <Spinner className="size-4 shrink-0" />
      <Trans>Loading {counts}…</Trans>
    </p>
  );
}

/** Placeholder of a list that is too long to be arranged immediately. */
export function FilesSkeleton() {
  return (
    <SkeletonGroup label={t`Loading the files`} className="flex flex-col gap-2 border-t border-line pt-2">
      {['first', 'second', 'third', 'fourth', 'fifth'].map((line) => (
        <Skeleton key={line} className="h-12" />
      ))}
    </SkeletonGroup>
  );
}
