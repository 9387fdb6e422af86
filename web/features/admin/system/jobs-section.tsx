import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, RefreshCw, RotateCw } from 'lucide-react';
import { type AdminJob, listJobs, retryJob } from '../../../../contracts/admin/system.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { call } from '../../../api/call.ts';
import { queryOf, replaceRow } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminSection, LoadingRows } from '../admin-page.tsx';

const STATE_WORDS: Record<AdminJob['state'], string> = {
  waiting: t`Waiting`,
  running: t`Running`,
  failed: t`Given up`,
};

export function JobsSection() {
  const { data, error, isFetching, refetch } = useQuery({ ...queryOf(listJobs), refetchOnMount: 'always' });
  return (
    <AdminSection
      id="jobs"
      title={t`Jobs`}
      aside={
        data && (
          <Button
            variant="secondary"
            size="sm"
            icon={<RefreshCw aria-hidden="true" />}
            isBusy={isFetching}
            onClick={() => void refetch()}
          >
            <Trans>Refresh</Trans>
          </Button>
        )
      }
    >
      {!data &&
        (error && !isFetching ? (
          <LoadFailure
            message={t`The jobs couldn't be loaded.`}
            error={error}
            onRetry={() => void refetch()}
          />
        ) : (
          <LoadingRows />
        ))}
      {data?.length === 0 && (
        <p className="flex items-center gap-2.5 text-ink-soft">
          <CircleCheck aria-hidden="true" className="size-5 text-accent-ink" />
          <Trans>No jobs are waiting or have failed.</Trans>
        </p>
      )}
      {data && data.length > 0 && (
        <DataTable
          label={t`Jobs`}
          rows={data}
          keyOf={({ id }) => id}
          heading={{ label: t`Job`, render: ({ name }) => <span className="font-medium">{name}</span> }}
          columns={COLUMNS}
          actions={(job) => job.state === 'failed' && <Retry job={job} />}
        />
      )}
    </AdminSection>
  );
}

const COLUMNS: Column<AdminJob>[] = [
  {
    label: t`State`,
    isWide: true,
    render: ({ state, reason }) => (
      <>
        <Badge tone={state === 'failed' ? 'danger' : state === 'running' ? 'accent' : 'neutral'}>
          {STATE_WORDS[state]}
        </Badge>
        {reason && <span className="mt-1 block text-xs wrap-anywhere text-ink-soft">{reason}</span>}
      </>
    ),
  },
  { label: t`Tries`, isNumber: true, render: ({ attempts }) => formatCount(attempts) },
  { label: t`Due`, render: ({ runAt }) => <time dateTime={runAt}>{formatDateTime(runAt)}</time> },
];

function Retry({ job: { id, name } }: { job: AdminJob }) {
  const { mutate, isPending } = useAction(() => call(retryJob, { params: { id } }), {
    outdated: [listJobs],
    onSuccess: (job) => replaceRow(listJobs, job),
    success: { title: t`Job queued`, description: t`${name} will run again.` },
  });
  return (
    <Button
      variant="secondary"
      size="sm"
      icon={<RotateCw aria-hidden="true" />}
      aria-label={t`Retry: ${name}`}
      isBusy={isPending}
      onClick={() => mutate()}
    >
      <Trans>Retry</Trans>
    </Button>
  );
}
