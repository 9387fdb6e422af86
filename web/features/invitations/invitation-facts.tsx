import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { classNames } from '../../lib/class-names.ts';
import { formatDate, formatDateTime } from '../../lib/time/format-dates.ts';

export function InvitationFacts({ invitation }: { invitation: Invitation }) {
  const { maxFileSize, expiresAt, createdAt, allowedTypes } = invitation;
  return (
    <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-4 border-t border-line pt-5 sm:grid-cols-3 lg:grid-cols-5">
      <Fact label={t`Max File Size`}>{formatSize(maxFileSize)}</Fact>
      <Fact label={t`Expires`}>
        <Day at={expiresAt} />
      </Fact>
      <Fact label={t`Created`}>
        <Day at={createdAt} />
      </Fact>
      <Usage invitation={invitation} />
      {allowedTypes.length > 0 && (
        <Fact label={t`Allowed file types`} className="col-span-full">
          <span className="wrap-anywhere">{allowedTypes.join(', ')}</span>
        </Fact>
      )}
    </dl>
  );
}

/** What has arrived or, with a limit for all visitors, what is used of it; and the limits of one visitor. */
function Usage({ invitation }: { invitation: Invitation }) {
  const { isRecurring, arrivals, totalFilesLimit, totalBytesLimit, usedFiles, usedBytes } = invitation;
  const files = formatCount(invitation.maxFiles);
  const size = formatSize(invitation.maxTotalSize);
  const fileRemark = isRecurring ? t`up to ${files} per visit` : t`up to ${files} per visitor`;
  const sizeRemark = isRecurring ? t`up to ${size} per visit` : t`up to ${size} per visitor`;
  return (
    <>
      {totalFilesLimit === null ? (
        <Fact label={t`Files received`} remark={fileRemark}>
          {formatCount(arrivals.files)}
        </Fact>
      ) : (
        <Fact
          label={t`Files used`}
          note={t`of ${formatCount(totalFilesLimit)}`}
          share={usedFiles / totalFilesLimit}
          remark={fileRemark}
        >
          {formatCount(usedFiles)}
        </Fact>
      )}
      {totalBytesLimit === null ? (
        <Fact label={t`Size received`} remark={sizeRemark}>
          {formatSize(arrivals.bytes)}
        </Fact>
      ) : (
        <Fact
          label={t`Size used`}
          note={t`of ${formatSize(totalBytesLimit)}`}
          share={usedBytes / totalBytesLimit}
          remark={sizeRemark}
        >
          {formatSize(usedBytes)}
        </Fact>
      )}
    </>
  );
}

function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatDate(at)}
    </time>
  );
}

type FactProps = {
  label: string;
  /** Follows the value. */
  note?: string;
  /** Below the value. */
  remark?: string;
  /** Used share, 0 to 1. */
  share?: number;
  className?: string;
  children: ReactNode;
};

function Fact({ label, note, remark, share, className, children }: FactProps) {
  return (
    <div className={classNames('flex min-w-0 flex-col gap-0.5', className)}>
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="tabular">
        {children}
        {note && <span className="text-ink-faint"> {note}</span>}
        {share !== undefined && <Gauge share={share} />}
        {remark && <span className="block text-sm text-ink-faint">{remark}</span>}
      </dd>
    </div>
  );
}

/** Hidden from screen readers, because the numbers say the same. */
function Gauge({ share }: { share: number }) {
  const isFull = share >= 1;
  return (
    <span aria-hidden="true" className="mt-1.5 block h-1 overflow-hidden rounded-full bg-press">
      <span
        className={classNames('block h-full rounded-full', isFull ? 'bg-danger-ink' : 'bg-accent')}
        style={{ width: `${Math.min(1, share) * 100}%` }}
      />
    </span>
  );
}
