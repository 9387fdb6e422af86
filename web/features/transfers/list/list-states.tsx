import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CloudOff, SearchX, Send, Upload } from 'lucide-react';
import { errorDetail } from '../../../../client/api-error.ts';
import { PAGES } from '../../../../contracts/values/pages.ts';
import { Button } from '../../../components/actions/button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import type { ListView } from './list-view.ts';

export function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading your transfers`} className="flex flex-col gap-4">
      {['first', 'second', 'third'].map((name) => (
        <Surface key={name} data-testid="placeholder">
          <div className="flex items-start justify-between gap-6">
            <Skeleton className="h-7 w-1/2" />
            <Skeleton className="h-6.5 w-28" />
          </div>
          <Skeleton className="mt-3.5 h-5 w-2/3" />
          <div className="mt-6 flex gap-2">
            <Skeleton className="h-control-sm w-28" />
            <Skeleton className="h-control-sm w-28" />
          </div>
        </Surface>
      ))}
    </SkeletonGroup>
  );
}

export function NothingYet() {
  return (
    <EmptyState
      icon={<Send />}
      title={t`No transfers yet`}
      description={t`Upload your first files to get started`}
      action={
        <LinkButton to={PAGES.upload} size="lg" icon={<Upload />}>
          <Trans>Upload Files</Trans>
        </LinkButton>
      }
    />
  );
}

const NOTHING_IN_VIEW: Record<ListView['state'], string> = {
  all: t`There are no transfers.`,
  active: t`None of your transfers is active.`,
  'limit-reached': t`None of your transfers has reached its download limit.`,
  expired: t`None of your transfers has expired.`,
};

/** There are transfers, but none in this view. */
export function NothingFound({ view, onClear }: { view: ListView; onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchX />}
      title={t`No transfers found`}
      description={
        view.search ? (
          <span className="wrap-anywhere">
            {view.state === 'all' ? (
              <Trans>No title, message, recipient or file name contains “{view.search}”.</Trans>
            ) : (
              <Trans>No title, message, recipient or file name in this view contains “{view.search}”.</Trans>
            )}
          </span>
        ) : (
          NOTHING_IN_VIEW[view.state]
        )
      }
      action={
        <Button variant="secondary" onClick={onClear}>
          {view.search ? t`Clear search` : t`Show all transfers`}
        </Button>
      }
    />
  );
}

export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title={t`Your transfers couldn't be loaded`}
      description={errorDetail(error)}
      action={
        <Button onClick={() => onRetry()}>
          <Trans>Try again</Trans>
        </Button>
      }
    />
  );
}
