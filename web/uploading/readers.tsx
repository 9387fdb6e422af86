import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import {
  ARRIVAL_POLL_MS,
  type ArrivalProgress,
  type Reader,
  viewReaders,
} from '../../contracts/transfers/arrival.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { queryOf } from '../api/endpoint-query.ts';
import { ProgressBar } from '../components/feedback/progress-bar.tsx';
import { classNames } from '../lib/class-names.ts';

const SHOWN = 5;

type ReadersProps = {
  transferId: string;
  /** Also shows how much of the transfer has arrived. */
  withArrival?: boolean;
  className?: string;
};

/** How far the recipients of a transfer are, while its files arrive. */
export function Readers({ transferId, withArrival = false, className }: ReadersProps) {
  const { data } = useQuery({
    ...queryOf(viewReaders, { params: { id: transferId } }),
    refetchInterval: ARRIVAL_POLL_MS,
  });
  if (!data) return null;
  const { arrival, readers } = data;
  // Those that are running, then the most recent.
  const shown = readers.toSorted((a, b) => Number(b.isActive) - Number(a.isActive)).slice(0, SHOWN);
  return (
    <div className={classNames('flex flex-col gap-4', className)}>
      {withArrival && <Arrived {...arrival} />}
      <div>
        <h3 className="text-base">
          <Trans>Downloads</Trans>
        </h3>
        {shown.length === 0 ? (
          <p className="mt-1 text-sm text-ink-soft">
            <Trans>Nobody has started yet. You’ll see here how far they are.</Trans>
          </p>
        ) : (
          <ul className="mt-2 flex flex-col gap-3">
            {shown.map((reader) => (
              <ReaderRow key={reader.id} reader={reader} />
            ))}
          </ul>
        )}
        {readers.length > SHOWN && (
          <p className="mt-2 text-sm text-ink-faint">
            <Plural value={readers.length - SHOWN} one="and # more download" other="and # more downloads" />
          </p>
        )}
      </div>
    </div>
  );
}

function ReaderRow({ reader }: { reader: Reader }) {
  const { recipientEmail, sentBytes, sizeBytes, completedAt, isActive } = reader;
  const name = recipientEmail ?? t`Somebody with the link`;
  const share = completedAt !== null || sizeBytes === 0 ? 1 : sentBytes / sizeBytes;
  const percent = Math.floor(share * 100);
  return (
    <li className="flex flex-col gap-1.5">
      <p className="flex items-baseline justify-between gap-4 text-sm">
        <bdi className="min-w-0 truncate font-medium">{name}</bdi>
        <span className="tabular shrink-0 text-ink-soft">
          {completedAt !== null
            ? t`Finished`
            : isActive
              ? t`${percent}% through`
              : t`Interrupted at ${percent}%`}
        </span>
      </p>
      <ProgressBar
        size="sm"
        label={t`Download of ${name}`}
        value={share}
        state={completedAt !== null ? 'done' : isActive ? 'running' : 'stopped'}
      />
    </li>
  );
}

function Arrived({ receivedBytes, totalBytes, arrivedFiles, fileCount, status }: ArrivalProgress) {
  const amount = t`${formatSize(receivedBytes)} of ${formatSize(totalBytes)}`;
  return (
    <div>
      <ProgressBar
        label={t`Arrived so far`}
        value={totalBytes === 0 ? 1 : receivedBytes / totalBytes}
        valueText={amount}
        state={status === 'stopped' ? 'stopped' : 'running'}
      />
      <p className="tabular mt-2 flex flex-wrap gap-x-5 text-sm text-ink-soft">
        <span>{amount}</span>
        <span>
          {plural(fileCount, {
            one: `${arrivedFiles} of # file complete`,
            other: `${arrivedFiles} of # files complete`,
          })}
        </span>
      </p>
    </div>
  );
}
