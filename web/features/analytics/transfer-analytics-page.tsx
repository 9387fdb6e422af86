import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowLeft, FileQuestionMark } from 'lucide-react';
import { useMemo } from 'react';
import { useParams } from 'wouter';
import { ApiError } from '../../../client/api-error.ts';
import { exportTransferAnalytics, type TransferAnalytics } from '../../../contracts/analytics.ts';
import { addressOf } from '../../../contracts/endpoint.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { PAGES, transferPage } from '../../../contracts/values/addresses/pages.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Skeleton } from '../../components/feedback/skeleton.tsx';
import { useReadableFiles } from '../../key-ring/encrypted-files.ts';
import { useReadableTransfers } from '../../key-ring/readable-transfers.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { Link } from '../../lib/routing.tsx';
import { AnalyticsFrame, NothingYet, useRange } from './analytics-frame.tsx';
import { useAnalysedTransfer, useTransferAnalytics } from './analytics-queries.ts';
import { Ranking } from './ranking.tsx';
import { Report } from './report.tsx';
import { Section } from './section.tsx';

export function TransferAnalyticsPage() {
  const { id = '' } = useParams();
  return <OfTransfer key={id} id={id} />;
}

function OfTransfer({ id }: { id: string }) {
  const range = useRange();
  const { data, error } = useAnalysedTransfer(id);
  const one = useMemo(() => data && [data], [data]);
  const [transfer] = useReadableTransfers(one) ?? [];
  const query = useTransferAnalytics(id, range.days, range.longestDays > 0);
  const title = transfer && nameTransfer(transfer);
  usePageTitle(title ? t`Analytics of ${title}` : t`Analytics`);
  if (isMissing(error) || isMissing(query.error)) return <Missing />;
  return (
    <AnalyticsFrame
      heading={<Heading id={id} title={title} hasFailed={error !== null} />}
      range={range}
      query={query}
      exportAddress={addressOf(exportTransferAnalytics.path, { id }, { days: range.days })}
      nothing={
        <NothingYet
          range={range}
          advice={t`Share the link. Visits appear here.`}
          action={
            <LinkButton to={transferPage(id)}>
              <Trans>Open the transfer</Trans>
            </LinkButton>
          }
        />
      }
    >
      {(analytics) => <Report analytics={analytics} what={<Files {...analytics} transfer={data} />} />}
    </AnalyticsFrame>
  );
}

/** Malformed ids answer 400. */
function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400);
}

type HeadingProps = { id: string; title: string | undefined; hasFailed: boolean };

function Heading({ id, title, hasFailed }: HeadingProps) {
  return (
    <>
      <Link
        to={transferPage(id)}
        className="-ml-1 inline-flex items-center gap-2 rounded-full px-1 py-1.5 text-sm text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        <Trans>Back to the transfer</Trans>
      </Link>
      {title || hasFailed ? (
        <h1 className="mt-3 text-3xl wrap-anywhere">
          <Trans>
            <span className="sr-only">Analytics of </span>
            {title ?? t`this transfer`}
          </Trans>
        </h1>
      ) : (
        <Skeleton className="mt-3 h-10 w-72" />
      )}
    </>
  );
}

type FilesProps = Pick<TransferAnalytics, 'files'> & { transfer: TransferDetail | undefined };

function Files({ files, transfer }: FilesProps) {
  if (transfer?.encryption) return <EncryptedFiles files={files} transfer={transfer} />;
  return <FileRanking files={files} />;
}

/** With the names that this browser has the key of. */
function EncryptedFiles({
  files,
  transfer,
}: {
  files: TransferAnalytics['files'];
  transfer: TransferDetail;
}) {
  const readable = useReadableFiles(transfer, transfer.files).files;
  const names = new Map(readable.map(({ id, relativePath }) => [id, relativePath]));
  return <FileRanking files={files.map((file) => ({ ...file, name: names.get(file.id) ?? file.name }))} />;
}

function FileRanking({ files }: Pick<TransferAnalytics, 'files'>) {
  const rows = files
    .toSorted((one, other) => other.downloads - one.downloads)
    .map(({ id, name, downloads }) => ({
      key: id,
      label: <span className="line-clamp-2 wrap-anywhere">{name}</span>,
      counts: [downloads],
      measure: downloads,
    }));
  return (
    <Section title={t`Files`}>
      <Ranking columns={[t`File`, t`Downloads`]} rows={rows} />
    </Section>
  );
}

function Missing() {
  return (
    <>
      <h1 className="sr-only">
        <Trans>Analytics</Trans>
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
