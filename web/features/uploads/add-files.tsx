import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Clock, CloudOff, KeyRound, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { getTransfer, type TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { PAGES, transferPage } from '../../../contracts/values/addresses/pages.ts';
import { queryOf } from '../../api/endpoint-query.ts';
import { Button } from '../../components/actions/button.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { useReadableFiles } from '../../key-ring/encrypted-files.ts';
import { MissingKey } from '../../key-ring/missing-key.tsx';
import { useReadableTransfers, useWholeLink } from '../../key-ring/readable-transfers.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import type { Plan } from './upload-limits.ts';
import { UploadWorkspace } from './upload-workspace.tsx';

type AddFilesProps = { transferId: string; userId: string; plan: Plan };

/** Adds files to a transfer that was sent. Its settings stay as they are. */
export function AddFiles({ transferId, userId, plan }: AddFilesProps) {
  usePageTitle(t`Add Files`);
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(getTransfer, { params: { id: transferId } }),
    refetchOnMount: 'always',
  });
  if (error && isUnknown(error)) return <Unknown />;
  // A lost connection must not end an upload that is running.
  if (!data && error)
    return <Unreachable sentence={errorDetail(error)} isBusy={isFetching} onRetry={() => refetch()} />;
  if (!data) return <UploadSkeleton />;
  return <AddFilesTo transfer={data} userId={userId} plan={plan} />;
}

type AddFilesToProps = Omit<AddFilesProps, 'transferId'> & { transfer: TransferDetail };

function AddFilesTo({ transfer, userId, plan }: AddFilesToProps) {
  const whole = useWholeLink(transfer);
  const one = useMemo(() => [transfer], [transfer]);
  const [named = transfer] = useReadableTransfers(one) ?? [];
  const { files } = useReadableFiles(transfer, transfer.files);
  if (transfer.isExpired) return <Expired id={transfer.id} name={nameTransfer(named)} />;
  if (whole?.isLoading) return <UploadSkeleton />;
  if (whole && !whole.key) return <KeyElsewhere transfer={transfer} />;
  return <UploadWorkspace userId={userId} plan={plan} target={{ ...named, files }} />;
}

/** Missing, someone else's, or not an ID: the server doesn't distinguish these. */
function isUnknown(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400);
}

function Unknown() {
  return (
    <EmptyState
      icon={<SearchX />}
      title={t`Transfer not found`}
      description={t`It may have been deleted, so there is nothing to add files to.`}
      action={
        <>
          <LinkButton to={PAGES.upload}>
            <Trans>New Upload</Trans>
          </LinkButton>
          <LinkButton to={PAGES.dashboard} variant="secondary">
            <Trans>My Transfers</Trans>
          </LinkButton>
        </>
      }
    />
  );
}

function KeyElsewhere({ transfer }: { transfer: TransferDetail }) {
  return (
    <EmptyState
      icon={<KeyRound />}
      title={t`The key is not in this browser`}
      description={<MissingKey transfer={transfer} />}
      action={
        <LinkButton to={transferPage(transfer.id)}>
          <Trans>Open the transfer</Trans>
        </LinkButton>
      }
    />
  );
}

function Expired({ id, name }: { id: string; name: string }) {
  return (
    <EmptyState
      icon={<Clock />}
      title={t`This transfer has expired`}
      description={t`Files can be added to “${name}” again once you have given it a new expiry.`}
      action={
        <>
          <LinkButton to={transferPage(id)}>
            <Trans>Open the transfer</Trans>
          </LinkButton>
          <LinkButton to={PAGES.upload} variant="secondary">
            <Trans>New Upload</Trans>
          </LinkButton>
        </>
      }
    />
  );
}

type UnreachableProps = { sentence: string; isBusy: boolean; onRetry: () => void };

function Unreachable({ sentence, isBusy, onRetry }: UnreachableProps) {
  return (
    <EmptyState
      icon={<CloudOff />}
      title={t`The transfer could not be loaded`}
      description={sentence}
      action={
        <Button isBusy={isBusy} onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      }
    />
  );
}

function UploadSkeleton() {
  return (
    <SkeletonGroup className="mt-rhythm grid gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <Skeleton className="h-96" />
      <Skeleton className="h-96" />
    </SkeletonGroup>
  );
}
