import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Inbox, LockKeyhole, ShieldAlert, ShieldBan, ShieldEllipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import type { OwnHeldFile } from '../../../contracts/transfers/held-files.ts';
import type { Transfer, TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { Badge } from '../../components/feedback/badge.tsx';
import { classNames } from '../../lib/class-names.ts';
import { useRelativeTime } from '../../lib/time/relative-time.ts';
import { useIsPast } from '../../lib/time/use-is-past.ts';
import { describeUnscanned } from '../../lib/values/unscanned-reason.ts';

type Expiry = Pick<Transfer, 'expiresAt' | 'isExpired'>;

/** Updates when a transfer expires while the page is open. */
export function useIsExpired({ expiresAt, isExpired }: Expiry): boolean {
  const isPast = useIsPast(expiresAt);
  return isExpired || isPast;
}

/** 'Expires in 3 days', then 'Expired'. Updates while the page is open. */
export function ExpiryBadge({ transfer }: { transfer: Expiry }) {
  if (useIsExpired(transfer))
    return (
      <Badge tone="danger">
        <Trans>Expired</Trans>
      </Badge>
    );
  if (transfer.expiresAt === null)
    return (
      <Badge>
        <Trans>Does not expire</Trans>
      </Badge>
    );
  return <LiveBadge expiresAt={transfer.expiresAt} />;
}

export function ArrivingBadge() {
  return (
    <Badge tone="accent">
      <Trans>Arriving</Trans>
    </Badge>
  );
}

/** Hidden once the transfer has expired, because that matters more. */
export function LimitBadge({ transfer }: { transfer: Expiry & Pick<Transfer, 'isLimitReached'> }) {
  const isExpired = useIsExpired(transfer);
  return (
    transfer.isLimitReached &&
    !isExpired && (
      <Badge tone="danger">
        <Trans>Limit reached</Trans>
      </Badge>
    )
  );
}

function LiveBadge({ expiresAt }: { expiresAt: string }) {
  return (
    <Badge>
      <Trans>Expires {useRelativeTime(expiresAt)}</Trans>
    </Badge>
  );
}

/** Received through an upload invitation. */
export function ReceivedBadge() {
  return (
    <Badge tone="accent" icon={<Inbox aria-hidden="true" />}>
      <Trans>Received</Trans>
    </Badge>
  );
}

export function EncryptedBadge() {
  return (
    <Badge icon={<LockKeyhole aria-hidden="true" />}>
      <Trans>End-to-end encrypted</Trans>
    </Badge>
  );
}

export function TakenDownBadge() {
  return (
    <Badge tone="danger" icon={<ShieldBan aria-hidden="true" />}>
      <Trans>Taken down</Trans>
    </Badge>
  );
}

export function TakenDownNote() {
  return (
    <p className="mt-4 max-w-[44rem] rounded-lg bg-danger-wash px-4 py-3 text-danger-ink">
      <Trans>
        An administrator closed this transfer because it was reported. Only you can still see it; its link and
        downloads no longer work. If this is a mistake, please contact the operator of this service.
      </Trans>
    </p>
  );
}

const NAMED = 5;

export function ScanBadge({ state }: { state: Transfer['scanState'] }) {
  if (state === 'checking' || state === 'partial')
    return (
      <Badge icon={<ShieldEllipsis aria-hidden="true" />}>
        <Trans>Checking</Trans>
      </Badge>
    );
  if (state === 'unscanned')
    return (
      <Badge icon={<ShieldAlert aria-hidden="true" />}>
        <Trans>Waiting for review</Trans>
      </Badge>
    );
  if (state !== 'blocked') return null;
  return (
    <Badge tone="danger" icon={<ShieldBan aria-hidden="true" />}>
      <Trans>Blocked</Trans>
    </Badge>
  );
}

/** Tells the sender whether recipients have to wait, and what to do. */
export function ScanNote({ transfer }: { transfer: TransferDetail }) {
  const { scanState, heldFiles } = transfer;
  if (scanState === null) return null;
  if (scanState === 'checking')
    return (
      <Note>
        <Trans>
          The files are being checked for malware. Nobody can download them until that is done, and emails to
          recipients wait for it. This usually takes less than a minute.
        </Trans>
      </Note>
    );
  if (scanState === 'partial')
    return (
      <Note>
        <Trans>
          Files that you added are being checked for malware. Nobody can download them until that is done; the
          other files stay available individually.
        </Trans>
        {heldFiles.length > 0 && <FileList files={heldFiles} />}
      </Note>
    );
  if (scanState === 'unscanned')
    return (
      <Note>
        <Trans>
          Some files could not be checked for malware. Nobody can download this transfer, and emails to
          recipients wait, until an administrator has reviewed it.
        </Trans>
        <FileList files={heldFiles} />
      </Note>
    );
  return (
    <Note isDanger>
      <Trans>
        <Plural
          value={heldFiles.length}
          one="Nobody can download this transfer because of this file:"
          other="Nobody can download this transfer because of these files:"
        />
        <FileList files={heldFiles.filter(({ state }) => state !== 'unscanned')} />
        {adviseSender(transfer)} If this is a mistake, please contact the operator of this service.
      </Trans>
    </Note>
  );
}

function adviseSender({ receivedFrom, heldFiles }: TransferDetail): string {
  if (receivedFrom !== null) return t`Do not open the files, and let their sender know.`;
  return heldFiles.some(({ state }) => state === 'infected')
    ? t`Check your computer for malware, delete this transfer and send the other files again.`
    : t`You can delete this transfer and send the other files again.`;
}

function Note({ isDanger = false, children }: { isDanger?: boolean; children: ReactNode }) {
  return (
    <div
      role="status"
      className={classNames(
        'mt-4 max-w-[44rem] rounded-lg px-4 py-3',
        isDanger ? 'bg-danger-wash text-danger-ink' : 'bg-press text-ink-soft',
      )}
    >
      {children}
    </div>
  );
}

function FileList({ files }: { files: OwnHeldFile[] }) {
  const others = files.length - NAMED;
  return (
    <ul className="my-2 list-disc pl-5">
      {files.slice(0, NAMED).map(({ id, relativePath, state, finding }) => (
        <li key={id} className="wrap-anywhere">
          <HeldFile file={{ relativePath, state, finding }} />
        </li>
      ))}
      {others > 0 && <li>{plural(others, { one: 'and # other file', other: 'and # other files' })}</li>}
    </ul>
  );
}

function HeldFile({ file }: { file: Pick<OwnHeldFile, 'relativePath' | 'state' | 'finding'> }) {
  const name = <strong className="font-medium">{file.relativePath}</strong>;
  switch (file.state) {
    case 'infected':
      return (
        <Trans>
          {name}: malware found ({file.finding})
        </Trans>
      );
    case 'blocked':
      return <Trans>{name} was blocked by an administrator</Trans>;
    case 'unscanned':
      return (
        <>
          {name}: {describeUnscanned(file.finding)}
        </>
      );
    default:
      return name;
  }
}
