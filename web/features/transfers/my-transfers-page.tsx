import { CloudOff, Plus, Send, Upload } from 'lucide-react';
import { PAGES } from '../../../contracts/pages.ts';
import { errorDetail } from '../../api/api-error.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { Surface } from '../../components/surface.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { TransferItem } from './transfer-item.tsx';
import { useTransfers } from './transfer-queries.ts';

/** Everything one has sent, the newest first (specification section 2, "My Transfers"). */
export function MyTransfersPage() {
  usePageTitle('My Transfers');
  return (
    <>
      <header className="mb-rhythm flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-3xl">My Transfers</h1>
        <LinkButton to={PAGES.upload} icon={<Plus />}>
          New Upload
        </LinkButton>
      </header>
      <TransferList />
    </>
  );
}

function TransferList() {
  const { data: transfers, error, isFetching, refetch } = useTransfers();
  if (!transfers) {
    return error && !isFetching ? <Failure error={error} onRetry={refetch} /> : <Placeholders />;
  }
  if (transfers.length === 0) return <NothingYet />;
  return (
    <ul>
      {transfers.map((transfer) => (
        <TransferItem key={transfer.id} transfer={transfer} />
      ))}
    </ul>
  );
}

function Placeholders() {
  return (
    <SkeletonGroup label="Loading your transfers" className="flex flex-col gap-4">
      {['first', 'second', 'third'].map((name) => (
        <Surface key={name}>
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

function NothingYet() {
  return (
    <EmptyState
      icon={<Send />}
      title="No transfers yet"
      description="Upload your first files to get started"
      action={
        <LinkButton to={PAGES.upload} size="lg" icon={<Upload />}>
          Upload Files
        </LinkButton>
      }
    />
  );
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title="Your transfers did not load"
      description={errorDetail(error)}
      action={<Button onClick={() => onRetry()}>Try again</Button>}
    />
  );
}
