import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CircleCheck, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { listHeldFiles } from '../../../../contracts/admin/scanning.ts';
import {
  type AdminJob,
  type AdminMail,
  getDeletionSafety,
  getStorageTruth,
  listJobs,
  listMails,
  type StorageTruth,
} from '../../../../contracts/admin/system.ts';
import { listReports } from '../../../../contracts/admin/transfers.ts';
import { PAGES } from '../../../../contracts/values/pages.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { Skeleton, SkeletonGroup } from '../../../components/skeleton.tsx';
import { countOf } from '../format.ts';
import { useFresh } from '../use-fresh.ts';

/** So many are counted; beyond, it is more than one looks at in a day. */
const COUNTED = 50;
/** The share of the disk below which it is time to act. */
const LITTLE_DISK = 0.1;

type Trouble = { text: string; to: string };

/** Links to what is wrong, or the calm word that nothing is. */
export function AttentionSection() {
  const troubles = useTroubles();
  const { data: safety } = useFresh(getDeletionSafety);
  if (!troubles)
    return (
      <SkeletonGroup label="Looking for trouble" className="mt-6">
        <Skeleton className="h-13" />
      </SkeletonGroup>
    );
  // The banner above says enough.
  if (troubles.length === 0 && (safety?.clock || safety?.sweep)) return null;
  if (troubles.length === 0)
    return (
      <p className="mt-6 flex items-center gap-2.5 text-sm text-ink-soft">
        <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-accent-ink" />
        Nothing needs your attention.
      </p>
    );
  return (
    <ul
      aria-label="Needs attention"
      className="mt-6 divide-y divide-line rounded-lg border border-line-firm bg-surface"
    >
      {troubles.map(({ text, to }) => (
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

/** undefined until all is known that can be known; what does not answer is told of where it belongs. */
function useTroubles(): Trouble[] | undefined {
  const reports = useQuery({
    queryKey: ['attention', listReports.path],
    queryFn: ({ signal }) => call(listReports, { query: { state: 'open', limit: COUNTED }, signal }),
    refetchOnMount: 'always',
  });
  const infected = useQuery({
    queryKey: ['attention', listHeldFiles.path],
    queryFn: ({ signal }) => call(listHeldFiles, { query: { limit: COUNTED }, signal }),
    refetchOnMount: 'always',
  });
  const mails = useQuery({
    queryKey: ['attention', listMails.path],
    queryFn: ({ signal }) => call(listMails, { query: { state: 'failed', limit: COUNTED }, signal }),
    refetchOnMount: 'always',
  });
  const jobs = useFresh(listJobs);
  const storage = useFresh(getStorageTruth);
  if ([reports, infected, mails, jobs, storage].some(({ isLoading }) => isLoading)) return undefined;
  return [
    tellReports(reports.data ?? []),
    tellInfected(infected.data ?? []),
    tellMails(mails.data ?? []),
    tellJobs(jobs.data ?? []),
    ...tellStorage(storage.data),
  ].filter((trouble) => trouble !== undefined);
}

function tellReports(reports: unknown[]): Trouble | undefined {
  if (reports.length === 0) return undefined;
  return {
    text: `${countSome(reports, 'open report')} about transfers`,
    to: `${PAGES.adminTransfers}?tab=reports`,
  };
}

function tellInfected(files: unknown[]): Trouble | undefined {
  if (files.length === 0) return undefined;
  return { text: `${countSome(files, 'infected file')} blocked`, to: `${PAGES.adminTransfers}?tab=held` };
}

function tellMails(mails: AdminMail[]): Trouble | undefined {
  if (mails.length === 0) return undefined;
  return {
    text: `${countSome(mails, 'mail')} could not be delivered`,
    to: `${PAGES.adminSystem}?mails=failed#mails`,
  };
}

function tellJobs(jobs: AdminJob[]): Trouble | undefined {
  const failed = jobs.filter(({ state }) => state === 'failed');
  if (failed.length === 0) return undefined;
  return { text: `${countOf(failed.length, 'job')} given up`, to: `${PAGES.adminSystem}#jobs` };
}

function tellStorage(truth: StorageTruth | undefined): (Trouble | undefined)[] {
  const { disk, orphaned, damagedFiles } = truth ?? { disk: null, orphaned: 0, damagedFiles: 0 };
  return [
    damagedFiles > 0
      ? { text: `${countOf(damagedFiles, 'file')} damaged`, to: `${PAGES.adminSystem}#damage` }
      : undefined,
    disk && disk.freeBytes < disk.totalBytes * LITTLE_DISK
      ? {
          text: `Only ${formatSize(disk.freeBytes)} are left on the disk`,
          to: `${PAGES.adminSystem}#checks`,
        }
      : undefined,
    orphaned > 0
      ? { text: `${formatSize(orphaned)} lie in the storage without a transfer`, to: '#storage' }
      : undefined,
  ];
}

function countSome(found: unknown[], singular: string): string {
  return found.length < COUNTED ? countOf(found.length, singular) : `${COUNTED} or more ${singular}s`;
}
