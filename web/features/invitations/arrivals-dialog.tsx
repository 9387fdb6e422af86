import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LockKeyhole } from 'lucide-react';
import { useState } from 'react';
import { errorDetail } from '../../../client/api-error.ts';
import type { Arrival, Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { transferPage } from '../../../contracts/values/addresses/pages.ts';
import { Button } from '../../components/actions/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Badge } from '../../components/feedback/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { Link } from '../../lib/routing.tsx';
import { formatDateTime } from '../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../lib/time/relative-time.ts';
import { useArrivals } from './invitation-queries.ts';
import { describeFiles } from './wording.ts';

type ArrivalsDialogProps = {
  /** Undefined closes the dialog. */
  invitation: Invitation | undefined;
  onClose: () => void;
};

/** Keeps its content while it fades out. */
export function ArrivalsDialog({ invitation, onClose }: ArrivalsDialogProps) {
  const [last, setLast] = useState(invitation);
  if (invitation && invitation !== last) setLast(invitation);
  const shown = invitation ?? last;
  return (
    <Dialog
      isOpen={invitation !== undefined}
      onOpenChange={onClose}
      title={t`Received files`}
      description={<span className="wrap-anywhere">{shown?.title}</span>}
    >
      {shown && <Arrivals id={shown.id} />}
    </Dialog>
  );
}

function Arrivals({ id }: { id: string }) {
  const { data: arrivals, error, isFetching, refetch } = useArrivals(id);
  if (!arrivals && error && !isFetching) {
    return (
      <div role="alert" className="flex flex-col items-start gap-4">
        <p className="text-ink-soft">{errorDetail(error)}</p>
        <Button variant="secondary" size="sm" onClick={() => refetch()}>
          <Trans>Try again</Trans>
        </Button>
      </div>
    );
  }
  if (!arrivals) return <Placeholder />;
  if (arrivals.length === 0) {
    return (
      <p className="rounded-md bg-sunken px-5 py-8 text-center text-ink-soft">
        <Trans>No files yet. We'll email you as soon as some arrive.</Trans>
      </p>
    );
  }
  return (
    <ul aria-label={t`Received files`} className="divide-y divide-line border-y border-line">
      {arrivals.map((arrival) => (
        <ArrivalRow key={arrival.transferId} arrival={arrival} />
      ))}
    </ul>
  );
}

function ArrivalRow({ arrival }: { arrival: Arrival }) {
  const { transferId, receivedFrom, message, encryption, fileCount, totalSize, arrivedAt, isExpired } =
    arrival;
  const ago = useRelativeTime(arrivedAt);
  return (
    <li className="relative py-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <Link
          to={transferPage(transferId)}
          className="min-w-0 rounded-xs font-medium wrap-anywhere after:absolute after:inset-0 hover:text-accent-ink"
        >
          {receivedFrom}
        </Link>
        <span className="flex flex-wrap gap-2 empty:hidden">
          {encryption && (
            <Badge icon={<LockKeyhole aria-hidden="true" />}>
              <Trans>End-to-end encrypted</Trans>
            </Badge>
          )}
          {isExpired && (
            <Badge tone="danger">
              <Trans>Expired</Trans>
            </Badge>
          )}
        </span>
      </div>
      {message && (
        <p dir="auto" className="mt-1 line-clamp-2 text-sm wrap-anywhere text-ink-soft">
          {message}
        </p>
      )}
      <p className="tabular mt-1 flex flex-wrap justify-between gap-x-4 text-sm text-ink-faint">
        <span>{describeFiles(fileCount, totalSize)}</span>
        <time dateTime={arrivedAt} title={formatDateTime(arrivedAt)}>
          {ago}
        </time>
      </p>
    </li>
  );
}

function Placeholder() {
  return (
    <SkeletonGroup label={t`Loading received files`} className="flex flex-col gap-5">
      <Skeleton className="h-12 w-full" />
      <Skeleton className="h-12 w-full" />
    </SkeletonGroup>
  );
}
