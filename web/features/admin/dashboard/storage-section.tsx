import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getDeletionSafety, getStorageTruth, type StorageTruth } from '../../../../contracts/admin/system.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { Link } from '../../../lib/routing.tsx';
import { formatDate, formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminSection } from '../admin-page.tsx';

export function StorageSection() {
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(getStorageTruth),
    refetchOnMount: 'always',
  });
  return (
    <AdminSection id="storage" title={t`Storage`} className="mt-rhythm">
      {data && <Storage truth={data} />}
      {!data && error && !isFetching && (
        <LoadFailure
          message={t`The storage couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label={t`Loading the storage`}>
          <Skeleton className="h-36" />
        </SkeletonGroup>
      )}
    </AdminSection>
  );
}

const PARTS = [
  { key: 'committed', label: t`Committed`, hint: t`Files of transfers`, fill: 'bg-accent' },
  { key: 'reserved', label: t`Reserved`, hint: t`Announced, not yet complete`, fill: 'bg-accent/45' },
  {
    key: 'waitingForDeletion',
    label: t`Waiting for deletion`,
    hint: t`Deleted, bytes still there`,
    fill: 'bg-edge',
  },
  { key: 'orphaned', label: t`Orphaned`, hint: t`Not in the database`, fill: 'bg-danger' },
  { key: 'trashed', label: t`Trash`, hint: t`Orphans, kept for 7 days`, fill: 'bg-danger/45' },
] as const;

function Storage({ truth }: { truth: StorageTruth }) {
  const { disk, lastSweep } = truth;
  const { data: safety } = useQuery({ ...queryOf(getDeletionSafety), refetchOnMount: 'always' });
  const used = PARTS.reduce((sum, { key }) => sum + truth[key], 0);
  const whole = Math.max(1, disk ? Math.max(used, used + disk.freeBytes) : used);
  return (
    <>
      <div aria-hidden="true" className="flex h-3 gap-px overflow-hidden rounded-full bg-press">
        {PARTS.map(
          ({ key, fill }) =>
            truth[key] > 0 && (
              <span
                key={key}
                className={`min-w-0.5 ${fill}`}
                style={{ width: `${(truth[key] / whole) * 100}%` }}
              />
            ),
        )}
      </div>
      <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-5 lg:grid-cols-5">
        {PARTS.map(({ key, label, hint, fill }) => (
          <div key={key} className="min-w-0">
            <dt className="flex items-center gap-2 text-sm text-ink-soft">
              <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-full ${fill}`} />
              {label}
            </dt>
            <dd className="mt-1">
              <span className="tabular font-heading text-xl">{formatSize(truth[key])}</span>
              <span className="block text-xs text-ink-faint">{describePart(key, truth) ?? hint}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-6 text-sm text-ink-soft">
        {disk && t`${formatSize(disk.freeBytes)} of ${formatSize(disk.totalBytes)} on the disk are free.`}{' '}
        {lastSweep
          ? t`Last swept ${formatDateTime(lastSweep.at)}: ${
              lastSweep.freedBlobs === 0
                ? t`nothing to free.`
                : t`${formatSize(lastSweep.freedBytes)} in ${plural(lastSweep.freedBlobs, { one: '# blob', other: '# blobs' })} freed.`
            }`
          : t`Not swept yet.`}
        {safety?.quarantineUntil && (
          <>
            {' '}
            <Trans>Unknown files stay untouched until {formatDateTime(safety.quarantineUntil)}.</Trans>
          </>
        )}
      </p>
      <p className="mt-2 text-sm text-ink-soft">
        {describeDatabase(truth)}{' '}
        {truth.lastBackupAt
          ? t`Last complete backup: ${formatDateTime(truth.lastBackupAt)}.`
          : t`The backup command has never completed here.`}{' '}
        <Link to="/admin/users?sort=storage" className="link">
          <Trans>Users by storage</Trans>
        </Link>
      </p>
    </>
  );
}

function describeDatabase({ database: { bytes, walBytes } }: StorageTruth): string {
  return walBytes === null
    ? t`The database takes ${formatSize(bytes)}.`
    : t`The database takes ${formatSize(bytes)}, and ${formatSize(walBytes)} of write-ahead log.`;
}

/** Replaces a part's default hint where there is more to say. */
function describePart(key: (typeof PARTS)[number]['key'], truth: StorageTruth): string | undefined {
  const { orphanedBlobs, youngOrphanedBlobs, trashedBlobs, oldestTrashedAt } = truth;
  if (key === 'reserved' && truth.reserved > 0)
    return t`Open uploads; ${formatSize(truth.received)} of it received`;
  if (key === 'orphaned' && youngOrphanedBlobs > 0)
    return t`Not in the database: ${plural(orphanedBlobs, { one: '# blob', other: '# blobs' })}, ${formatCount(youngOrphanedBlobs)} younger than a day`;
  if (key === 'orphaned' && orphanedBlobs > 0)
    return t`Not in the database: ${plural(orphanedBlobs, { one: '# blob', other: '# blobs' })}`;
  if (key === 'trashed' && oldestTrashedAt !== null)
    return t`${plural(trashedBlobs, { one: '# blob', other: '# blobs' })}, the oldest since ${formatDate(oldestTrashedAt)}`;
  return undefined;
}
