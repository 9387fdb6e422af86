import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowLeft, ChartNoAxesColumn, CloudOff, FileQuestionMark } from 'lucide-react';
import { type MouseEvent, type ReactNode, useMemo } from 'react';
import { useParams } from 'wouter';
import { ApiError, errorDetail } from '../../../../client/api-error.ts';
import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import { PAGES, transferAnalyticsPage } from '../../../../contracts/values/addresses/pages.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { useSession } from '../../../api/session/session.ts';
import { Button } from '../../../components/actions/button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { FilesLoadingNote } from '../../../components/feedback/files-loading.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { useReadableFiles } from '../../../key-ring/encrypted-files.ts';
import { useReadableTransfers } from '../../../key-ring/readable-transfers.ts';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { classNames } from '../../../lib/class-names.ts';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { Link } from '../../../lib/routing.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { useLeaveOnDeletion } from '../deletion.ts';
import { useBackToList } from '../list/list-view.ts';
import {
  ArrivingBadge,
  EncryptedBadge,
  ExpiryBadge,
  LimitBadge,
  ReceivedBadge,
  ScanBadge,
  ScanNote,
  TakenDownBadge,
  TakenDownNote,
} from '../transfer-badges.tsx';
import { useTransfer, useTransferFiles } from '../transfer-queries.ts';
import { DownloadActivity } from './download-activity.tsx';
import { Recipients } from './recipients.tsx';
import { TransferActions } from './transfer-actions.tsx';
import { hasFacts, TransferFacts, TransferTotals } from './transfer-facts.tsx';
import { TransferFiles } from './transfer-files.tsx';

export function TransferDetailPage() {
  const { id = '' } = useParams();
  const { data, error, isFetching, refetch } = useTransfer(id);
  const one = useMemo(() => data && [data], [data]);
  const [transfer] = useReadableTransfers(one) ?? [];
  const isLeaving = useLeaveOnDeletion(id, useBackToList());
  const isMissing = !isLeaving && error instanceof ApiError && (error.status === 404 || error.status === 400);
  usePageTitle(isMissing ? t`Transfer not found` : transfer ? nameTransfer(transfer) : t`Transfer`);
  if (isMissing) return <Missing />;
  if (transfer) return <TransferDetailView transfer={transfer} />;
  if (!error || isFetching || isLeaving) return <Placeholder />;
  return (
    <>
      <h1 className="sr-only">
        <Trans>Transfer</Trans>
      </h1>
      <EmptyState
        icon={<CloudOff />}
        title={t`This transfer couldn't be loaded`}
        description={errorDetail(error)}
        action={
          <Button onClick={() => refetch()}>
            <Trans>Try again</Trans>
          </Button>
        }
      />
    </>
  );
}

function Missing() {
  return (
    <>
      <h1 className="sr-only">
        <Trans>Transfer</Trans>
      </h1>
      <EmptyState
        icon={<FileQuestionMark />}
        title={t`Transfer not found`}
        description={t`It may have expired or been deleted.`}
        action={
          <LinkButton to={PAGES.dashboard} variant="secondary" icon={<ArrowLeft />}>
            <Trans>Back to My Transfers</Trans>
          </LinkButton>
        }
      />
    </>
  );
}

function Placeholder() {
  return (
    <SkeletonGroup label={t`Loading the transfer`}>
      <Skeleton className="h-6 w-32" />
      <Skeleton className="mt-8 h-11 w-2/3" />
      <Skeleton className="mt-4 h-5 w-1/3" />
      <Skeleton className="mt-10 h-14 w-full" />
      <Skeleton className="mt-10 h-20 w-full" />
      <Skeleton className="mt-10 h-64 w-full" />
    </SkeletonGroup>
  );
}

/** Few transfers have more than one. */
const useVersions = lateModule(() => import('./versions.tsx'));
const useReaders = lateModule(() => import('../../../uploading/readers.tsx'));

export function TransferDetailView({ transfer }: { transfer: TransferDetail }) {
  const readers = useReaders(transfer.status === 'arriving');
  const versions = useVersions(transfer.version > 1);
  const { files: loaded, loading } = useTransferFiles(transfer);
  const { files, message, names } = useReadableFiles(transfer, loaded);
  return (
    <article className="animate-fade-in">
      <BackLink />
      <Heading transfer={transfer} />
      <TransferActions transfer={transfer} />
      <TransferTotals transfer={transfer} />
      <div
        className={classNames(
          'mt-rhythm grid gap-x-14 gap-y-rhythm',
          hasFacts({ ...transfer, message }) && 'xl:grid-cols-[minmax(0,1fr)_17rem]',
        )}
      >
        <div className="flex min-w-0 flex-col gap-rhythm max-xl:order-last">
          {transfer.status === 'arriving' && readers && (
            <Section title={t`Still arriving`}>
              <readers.Readers transferId={transfer.id} withArrival />
            </Section>
          )}
          {showsRecipients(transfer) && <Recipients transfer={transfer} />}
          <Section title={t`Files`} aside={<FilesLoadingNote {...loading} />}>
            {names === 'closed' && (
              <p className="mb-3 text-sm text-ink-soft">
                <Trans>The file names are encrypted, too. Browsers that have the key show them.</Trans>
              </p>
            )}
            {typeof names === 'object' && (
              <div className="mb-3">
                <LoadFailure
                  message={t`The file names couldn't be loaded.`}
                  error={names.error}
                  onRetry={names.retry}
                />
              </div>
            )}
            <TransferFiles transfer={transfer} files={files} fileCount={loading.fileCount} />
          </Section>
          {transfer.version > 1 && versions && (
            <Section title={t`Versions`}>
              <versions.Versions transfer={transfer} />
            </Section>
          )}
          <Section title={t`Download Activity`} aside={<AnalyticsLink id={transfer.id} />}>
            <DownloadActivity transfer={transfer} files={files} />
          </Section>
        </div>
        <div className="flex min-w-0 flex-col gap-10 empty:hidden">
          <TransferFacts transfer={{ ...transfer, message }} />
        </div>
      </div>
    </article>
  );
}

/** Received transfers have no recipients unless the owner shares them. */
function showsRecipients({ receivedFrom, recipients }: TransferDetail): boolean {
  return receivedFrom === null || recipients.length > 0;
}

/** Shown if the plan includes analytics. */
function AnalyticsLink({ id }: { id: string }) {
  const { user } = useSession();
  if (!user || !tierIncludes(user.tier, 'analytics')) return null;
  return (
    <LinkButton
      to={transferAnalyticsPage(id)}
      variant="ghost"
      size="sm"
      icon={<ChartNoAxesColumn />}
      className="-mr-3.5"
    >
      <Trans>Analytics</Trans>
    </LinkButton>
  );
}

function BackLink() {
  const backToList = useBackToList();
  const goBack = (event: MouseEvent) => {
    // New tabs and windows have no history to go back to.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    backToList();
  };
  return (
    <Link
      to={PAGES.dashboard}
      onClick={goBack}
      className="-ml-1 inline-flex items-center gap-2 rounded-full px-1 py-1.5 text-sm text-ink-soft hover:text-ink"
    >
      <ArrowLeft aria-hidden="true" className="size-4" />
      <Trans>My Transfers</Trans>
    </Link>
  );
}

function Heading({ transfer }: { transfer: TransferDetail }) {
  const createdAgo = useRelativeTime(transfer.createdAt);
  return (
    <header className="mt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="min-w-0 text-3xl wrap-anywhere">
          <bdi>{nameTransfer(transfer)}</bdi>
        </h1>
        {transfer.receivedFrom !== null && <ReceivedBadge />}
        {transfer.encryption && <EncryptedBadge />}
        {transfer.isTakenDown && <TakenDownBadge />}
        <ScanBadge state={transfer.scanState} />
        <LimitBadge transfer={transfer} />
        {transfer.status === 'arriving' ? <ArrivingBadge /> : <ExpiryBadge transfer={transfer} />}
      </div>
      {transfer.receivedFrom !== null && (
        <p className="mt-3 text-lg wrap-anywhere">
          <Trans>From {transfer.receivedFrom}</Trans>
        </p>
      )}
      <p className="mt-2 text-sm text-ink-faint">
        <Trans>
          Created <time dateTime={transfer.createdAt}>{formatDateTime(transfer.createdAt)}</time>,{' '}
          {createdAgo}
        </Trans>
      </p>
      {transfer.isTakenDown && <TakenDownNote />}
      <ScanNote transfer={transfer} />
    </header>
  );
}

function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <header className="mb-3 flex items-center justify-between gap-4">
        <h2 className="text-xl">{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
