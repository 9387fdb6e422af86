import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import {
  confirmClock,
  confirmSweep,
  type DeletionSafety,
  getDeletionSafety,
  getStorageTruth,
} from '../../../../contracts/admin/system.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { call } from '../../../api/call.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';

/** Shows deletions that are paused until an administrator confirms them. */
export function DeletionBanner() {
  const { data } = useQuery({ ...queryOf(getDeletionSafety), refetchOnMount: 'always' });
  if (!data) return null;
  return (
    <>
      {data.clock && <ClockNotice key={data.clock.id} stop={data.clock} />}
      {data.sweep && <SweepNotice key={data.sweep.id} stop={data.sweep} />}
    </>
  );
}

function ClockNotice({ stop }: { stop: NonNullable<DeletionSafety['clock']> }) {
  const { id, jumpSeconds, noticedAt, serverTime } = stop;
  const span = describeSpan(jumpSeconds);
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useAction(() => call(confirmClock, { body: { id } }), {
    outdated: [getDeletionSafety],
    onSuccess: showSafety,
    success: { title: t`Clock confirmed`, description: t`Deletion continues in an hour.` },
  });
  return (
    <Notice
      title={
        jumpSeconds > 0
          ? t`The server's clock jumped ${span} ahead`
          : t`The server's clock jumped ${span} back`
      }
      action={
        <Button variant="secondary" size="sm" onClick={() => setOpen(true)}>
          <Trans>Confirm the clock</Trans>
        </Button>
      }
    >
      <Trans>
        It now shows {formatDateTime(serverTime)}; the jump was noticed at {formatDateTime(noticedAt)}. Until
        you confirm that this is right, nothing expires for good and nothing is deleted by age. If it is
        wrong, set the server's clock; deletion then continues automatically.
      </Trans>
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Is the clock right?`}
        description={
          <Trans>
            The server's clock shows{' '}
            <strong className="font-medium text-ink">{formatDateTime(serverTime)}</strong> in your time zone.
            If you confirm it, everything that has expired by this clock is deleted after its grace period.
            This cannot be undone.
          </Trans>
        }
        confirmLabel={t`The clock is right`}
        isBusy={isPending}
        onConfirm={() => mutate(undefined, { onSettled: () => setOpen(false) })}
      />
    </Notice>
  );
}

function SweepNotice({ stop }: { stop: NonNullable<DeletionSafety['sweep']> }) {
  const { id, since, blobs, bytes, allBlobs, sample, confirmed } = stop;
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useAction(() => call(confirmSweep, { body: { id } }), {
    outdated: [getDeletionSafety],
    onSuccess: showSafety,
    refreshes: [getStorageTruth],
    success: { title: t`Sweep confirmed`, description: t`The files move to the trash now.` },
  });
  return (
    <Notice
      title={t`${plural(blobs, { one: '# stored file', other: '# stored files' })} without a database entry`}
      action={
        !confirmed && (
          <Button variant="secondary" size="sm" onClick={() => setOpen(true)}>
            <Trans>Move to the trash</Trans>
          </Button>
        )
      }
    >
      {confirmed ? (
        <Trans>
          {confirmed.by} confirmed this at {formatDateTime(confirmed.at)}. The next sweep moves them to the
          trash.
        </Trans>
      ) : (
        <Trans>
          The database doesn't know {formatCount(blobs)} of {formatCount(allBlobs)} stored files (
          {formatSize(bytes)}), first noticed {formatDateTime(since)}. This usually means that the server uses
          the wrong database, or one restored from an old backup. Nothing is deleted until you confirm it.
        </Trans>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Is this the right database?`}
        description={
          <Trans>
            <Plural value={blobs} one="# stored file" other="# stored files" /> ({formatSize(bytes)}) will
            move to the trash and be deleted in seven days. A file comes back by itself if the database names
            it before then. For example:{' '}
            <span className="font-mono text-sm wrap-anywhere">{sample.slice(0, 2).join(', ')}</span>
          </Trans>
        }
        confirmLabel={t`Move ${formatCount(blobs)} to the trash`}
        isDestructive
        isBusy={isPending}
        onConfirm={() => mutate(undefined, { onSettled: () => setOpen(false) })}
      />
    </Notice>
  );
}

function Notice({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="mb-7 flex flex-wrap items-start gap-x-4 gap-y-3 rounded-lg border border-danger-ink bg-danger-wash p-4"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-danger-ink" />
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="text-base font-medium">{title}</h2>
        <div className="mt-1 max-w-[44rem] text-sm text-ink-soft">{children}</div>
      </div>
      {action && <div className="max-sm:pl-9">{action}</div>}
    </section>
  );
}

function showSafety(safety: DeletionSafety): void {
  queryClient.setQueryData([getDeletionSafety.path], safety);
}

/** '400 days', '3 hours', '10 minutes' */
function describeSpan(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  if (minutes < 120) return plural(minutes, { one: '# minute', other: '# minutes' });
  const hours = Math.round(minutes / 60);
  return hours < 48
    ? plural(hours, { one: '# hour', other: '# hours' })
    : plural(Math.round(hours / 24), { one: '# day', other: '# days' });
}
