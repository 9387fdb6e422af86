import { ArrowLeft, CloudOff, FileQuestionMark } from 'lucide-react';
import { useParams } from 'react-router';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { TransferDetailView } from './transfer-detail-view.tsx';
import { useTransfer } from './transfer-queries.ts';

/** One transfer with all that is known about it (specification section 2, "Transfer detail"). */
export function TransferDetailPage() {
  const { id = '' } = useParams();
  const { data: transfer, error, isFetching, refetch } = useTransfer(id);
  const isMissing = error instanceof ApiError && (error.status === 404 || error.status === 400);
  usePageTitle(isMissing ? 'Transfer not found' : transfer ? nameTransfer(transfer) : 'Transfer');
  if (isMissing) return <Missing />;
  if (transfer) return <TransferDetailView transfer={transfer} />;
  if (!error || isFetching) return <Placeholder />;
  return (
    <>
      <h1 className="sr-only">Transfer</h1>
      <EmptyState
        icon={<CloudOff />}
        title="This transfer did not load"
        description={errorDetail(error)}
        action={<Button onClick={() => refetch()}>Try again</Button>}
      />
    </>
  );
}

function Missing() {
  return (
    <>
      <h1 className="sr-only">Transfer</h1>
      <EmptyState
        icon={<FileQuestionMark />}
        title="Transfer not found"
        description="It may have expired or been deleted."
        action={
          <LinkButton to={PAGES.dashboard} variant="secondary" icon={<ArrowLeft />}>
            Back to My Transfers
          </LinkButton>
        }
      />
    </>
  );
}

function Placeholder() {
  return (
    <SkeletonGroup label="Loading the transfer">
      <Skeleton className="h-6 w-32" />
      <Skeleton className="mt-8 h-11 w-2/3" />
      <Skeleton className="mt-4 h-5 w-1/3" />
      <Skeleton className="mt-10 h-14 w-full" />
      <Skeleton className="mt-10 h-20 w-full" />
      <Skeleton className="mt-10 h-64 w-full" />
    </SkeletonGroup>
  );
}
