import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CloudOff, Inbox, SearchX, Send, Upload } from 'lucide-react';
import { errorDetail } from '../../../../client/api-error.ts';
import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../../api/session/session.ts';
import { Button } from '../../../components/actions/button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import type { ListView } from './list-view.ts';

/** Cards and placeholders have the same height. */
export function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading your transfers`} className="border-t border-line">
      {['first', 'second', 'third'].map((name) => (
        <div
          key={name}
          data-testid="placeholder"
          className="flex gap-3 border-b border-line px-2 max-sm:h-36.75 max-sm:pt-3 sm:h-14.75 sm:items-center sm:px-3"
        >
          <Skeleton className="size-10 shrink-0" />
          <div className="flex grow flex-col gap-2">
            <Skeleton className="h-4 w-1/3" />
            <Skeleton className="h-3.5 w-1/2" />
          </div>
          <Skeleton className="h-control-sm w-28 max-sm:hidden" />
          <Skeleton className="h-control-sm w-28 max-sm:hidden" />
        </div>
      ))}
    </SkeletonGroup>
  );
}

/** Hidden below a list of transfers that are still arriving. */
export function NothingYet() {
  return (
    <EmptyState
      className="[[aria-labelledby=arriving]+&]:hidden"
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

export function NothingReceived() {
  const { user } = useSession();
  const mayInvite = user !== null && user !== undefined && tierIncludes(user.tier, 'invitations');
  return (
    <EmptyState
      icon={<Inbox />}
      title={t`Nothing received yet`}
      description={
        mayInvite
          ? t`Files that others send you through an upload invitation appear here.`
          : t`With Premium, you can invite others to upload files to you. They appear here.`
      }
      action={
        mayInvite ? (
          <LinkButton to={PAGES.invitations} size="lg" icon={<Inbox />}>
            <Trans>Upload Invitations</Trans>
          </LinkButton>
        ) : (
          <LinkButton to={PAGES.pricing} size="lg">
            <Trans>See plans</Trans>
          </LinkButton>
        )
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
