import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CircleCheck, TriangleAlert } from 'lucide-react';
import { listHeldFiles } from '../../../../contracts/admin/scanning.ts';
import {
  type AdminJob,
  type AdminMail,
  type DeletionSafety,
  getDeletionSafety,
  getStorageTruth,
  listJobs,
  listMails,
  type StorageTruth,
} from '../../../../contracts/admin/system.ts';
import { listReports } from '../../../../contracts/admin/transfers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { Link } from '../../../lib/routing.tsx';

/** Counts stop here: "50 or more". */
const COUNT_LIMIT = 50;
/** The share of free disk space below which a warning is shown. */
const LOW_DISK_SHARE = 0.1;

type Problem = { text: string; to: string };

export function AttentionSection() {
  const { problems, safety, error, refetch } = useProblems();
  if (!problems)
    return (
      <SkeletonGroup label={t`Looking for problems`} className="mt-6">
        <Skeleton className="h-13" />
      </SkeletonGroup>
    );
  return (
    <>
      <Problems
        problems={problems}
        isSilent={error !== undefined || Boolean(safety?.clock || safety?.sweep)}
      />
      {error && (
        <div className="mt-6">
          <LoadFailure
            message={t`Not everything that may need your attention could be loaded.`}
            error={error}
            onRetry={refetch}
          />
        </div>
      )}
    </>
  );
}

type ProblemsProps = {
  problems: Problem[];
  /** There may be others, or the deletion banner shows one, so that their absence means nothing. */
  isSilent: boolean;
};

function Problems({ problems, isSilent }: ProblemsProps) {
  if (problems.length === 0 && isSilent) return null;
  if (problems.length === 0)
    return (
      <p className="mt-6 flex items-center gap-2.5 text-sm text-ink-soft">
        <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-accent-ink" />
        <Trans>Nothing needs your attention.</Trans>
      </p>
    );
  return (
    <ul
      aria-label={t`Needs attention`}
      className="mt-6 divide-y divide-line rounded-lg border border-line-firm bg-surface"
    >
      {problems.map(({ text, to }) => (
        <li key={text}>
          <Link
            to={to}
            className="group flex min-h-13 items-center gap-3 px-4 py-2 first:rounded-t-lg last:rounded-b-lg hover:bg-hover focus-visible:-outline-offset-2"
          >
            <TriangleAlert aria-hidden="true" className="size-5 shrink-0 text-danger-ink" />
            <span className="grow">{text}</span>
            <ArrowRight
              aria-hidden="true"
              className="size-4.5 shrink-0 text-ink-faint transition-[translate] duration-(--brisk) group-hover:translate-x-1"
            />
          </Link>
        </li>
      ))}
    </ul>
  );
}

type FoundProblems = {
  /** Undefined while loading. Without those of queries that failed. */
  problems: Problem[] | undefined;
  safety: DeletionSafety | undefined;
  /** The first failure. */
  error: Error | undefined;
  /** Repeats what has failed. */
  refetch: () => void;
};

function useProblems(): FoundProblems {
  const reports = useQuery({
    ...queryOf(listReports, { query: { state: 'open', limit: COUNT_LIMIT } }),
    refetchOnMount: 'always',
  });
  const infected = useQuery({
    ...queryOf(listHeldFiles, { query: { limit: COUNT_LIMIT } }),
    refetchOnMount: 'always',
  });
  const mails = useQuery({
    ...queryOf(listMails, { query: { state: 'failed', limit: COUNT_LIMIT } }),
    refetchOnMount: 'always',
  });
  const jobs = useQuery({ ...queryOf(listJobs), refetchOnMount: 'always' });
  const storage = useQuery({ ...queryOf(getStorageTruth), refetchOnMount: 'always' });
  const safety = useQuery({ ...queryOf(getDeletionSafety), refetchOnMount: 'always' });
  const queries = [reports, infected, mails, jobs, storage, safety];
  const failed = queries.filter(({ error }) => error !== null);
  const problems = [
    describeReports(reports.data ?? []),
    describeInfected(infected.data ?? []),
    describeMails(mails.data ?? []),
    describeJobs(jobs.data ?? []),
    ...describeStorage(storage.data),
  ].filter((problem) => problem !== undefined);
  return {
    problems: queries.some(({ isLoading }) => isLoading) ? undefined : problems,
    safety: safety.data,
    error: failed[0]?.error ?? undefined,
    refetch: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

function describeReports(reports: unknown[]): Problem | undefined {
  if (reports.length === 0) return undefined;
  return {
    text: hasMore(reports)
      ? t`${COUNT_LIMIT} or more open reports`
      : plural(reports.length, { one: '# open report', other: '# open reports' }),
    to: `${PAGES.adminTransfers}?tab=reports`,
  };
}

function describeInfected(files: unknown[]): Problem | undefined {
  if (files.length === 0) return undefined;
  return {
    text: hasMore(files)
      ? t`${COUNT_LIMIT} or more infected files blocked`
      : plural(files.length, { one: '# infected file blocked', other: '# infected files blocked' }),
    to: `${PAGES.adminTransfers}?tab=held`,
  };
}

function describeMails(mails: AdminMail[]): Problem | undefined {
  if (mails.length === 0) return undefined;
  return {
    text: hasMore(mails)
      ? t`${COUNT_LIMIT} or more emails could not be delivered`
      : plural(mails.length, {
          one: '# email could not be delivered',
          other: '# emails could not be delivered',
        }),
    to: `${PAGES.adminSystem}?mails=failed#mails`,
  };
}

function describeJobs(jobs: AdminJob[]): Problem | undefined {
  const failed = jobs.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return undefined;
  return {
    text: plural(failed.length, { one: '# job failed', other: '# jobs failed' }),
    to: `${PAGES.adminSystem}#jobs`,
  };
}

function describeStorage(truth: StorageTruth | undefined): (Problem | undefined)[] {
  const { disk, orphaned, damagedFiles } = truth ?? { disk: null, orphaned: 0, damagedFiles: 0 };
  return [
    damagedFiles > 0
      ? {
          text: plural(damagedFiles, { one: '# damaged file', other: '# damaged files' }),
          to: `${PAGES.adminSystem}#damage`,
        }
      : undefined,
    disk && disk.freeBytes < disk.totalBytes * LOW_DISK_SHARE
      ? {
          text: t`Only ${formatSize(disk.freeBytes)} of disk space left`,
          to: `${PAGES.adminSystem}#checks`,
        }
      : undefined,
    orphaned > 0
      ? { text: t`${formatSize(orphaned)} in storage belong to no transfer`, to: '#storage' }
      : undefined,
  ];
}

function hasMore(found: unknown[]): boolean {
  return found.length >= COUNT_LIMIT;
}
