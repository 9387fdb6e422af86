import { Inbox, ShieldAlert, ShieldBan, ShieldEllipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeUnscanned, type OwnHeldFile } from '../../../contracts/transfers/held-files.ts';
import type { Transfer, TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { countOf } from '../../../contracts/values/format.ts';
import { Badge } from '../../components/feedback/badge.tsx';
import { classNames } from '../../lib/class-names.ts';
import { useRelativeTime } from '../../lib/time/relative-time.ts';
import { useIsPast } from '../../lib/time/use-is-past.ts';

type Expiry = Pick<Transfer, 'expiresAt' | 'isExpired'>;

/** Updates when a transfer expires while the page is open. */
export function useIsExpired({ expiresAt, isExpired }: Expiry): boolean {
  const isPast = useIsPast(expiresAt);
  return isExpired || isPast;
}

/** 'Expires in 3 days', then 'Expired'. Updates while the page is open. */
export function ExpiryBadge({ transfer }: { transfer: Expiry }) {
  if (useIsExpired(transfer)) return <Badge tone="danger">Expired</Badge>;
  if (transfer.expiresAt === null) return <Badge>Does not expire</Badge>;
  return <LiveBadge expiresAt={transfer.expiresAt} />;
}

/** Hidden once the transfer has expired, because that matters more. */
export function LimitBadge({ transfer }: { transfer: Expiry & Pick<Transfer, 'isLimitReached'> }) {
  const isExpired = useIsExpired(transfer);
  return transfer.isLimitReached && !isExpired && <Badge tone="danger">Limit reached</Badge>;
}

function LiveBadge({ expiresAt }: { expiresAt: string }) {
  return <Badge>Expires {useRelativeTime(expiresAt)}</Badge>;
}

/** Received through an upload invitation. */
export function ReceivedBadge() {
  return (
    <Badge tone="accent" icon={<Inbox aria-hidden="true" />}>
      Received
    </Badge>
  );
}

export function TakenDownBadge() {
  return (
    <Badge tone="danger" icon={<ShieldBan aria-hidden="true" />}>
      Taken down
    </Badge>
  );
}

export function TakenDownNote() {
  return (
    <p className="mt-4 max-w-[44rem] rounded-lg bg-danger-wash px-4 py-3 text-danger-ink">
      An administrator has closed this transfer because it was reported. Only you can still see it; its link
      and its downloads do not work. If this is a mistake, please write to whoever runs this service.
    </p>
  );
}

const NAMED = 5;

export function ScanBadge({ state }: { state: Transfer['scanState'] }) {
  if (state === 'checking' || state === 'partial')
    return <Badge icon={<ShieldEllipsis aria-hidden="true" />}>Checking</Badge>;
  if (state === 'unscanned')
    return <Badge icon={<ShieldAlert aria-hidden="true" />}>Waiting for review</Badge>;
  if (state !== 'blocked') return null;
  return (
    <Badge tone="danger" icon={<ShieldBan aria-hidden="true" />}>
      Blocked
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
        The files are being checked for malware. Nobody can download them until that is done, and emails to
        recipients wait for it. This usually takes less than a minute.
      </Note>
    );
  if (scanState === 'partial')
    return (
      <Note>
        Files that you added are being checked for malware. Nobody can download them until that is done; the
        other files stay available one by one.
        {heldFiles.length > 0 && <FileList files={heldFiles} />}
      </Note>
    );
  if (scanState === 'unscanned')
    return (
      <Note>
        Some files could not be checked for malware. Nobody can download this transfer, and emails to
        recipients wait, until an administrator has reviewed it.
        <FileList files={heldFiles} />
      </Note>
    );
  return (
    <Note isDanger>
      Nobody can download this transfer because of {heldFiles.length === 1 ? 'this file' : 'these files'}:
      <FileList files={heldFiles.filter(({ state }) => state !== 'unscanned')} />
      {adviseSender(transfer)} If this is a mistake, please write to whoever runs this service.
    </Note>
  );
}

function adviseSender({ receivedFrom, heldFiles }: TransferDetail): string {
  if (receivedFrom !== null) return 'Do not open the files, and let their sender know.';
  return heldFiles.some(({ state }) => state === 'infected')
    ? 'Check your computer for malware, delete this transfer and send the other files again.'
    : 'You can delete this transfer and send the other files again.';
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
          <strong className="font-medium">{relativePath}</strong>
          {state === 'infected' && `: malware found (${finding})`}
          {state === 'blocked' && ' was blocked by an administrator'}
          {state === 'unscanned' && ` ${describeUnscanned(finding)}`}
        </li>
      ))}
      {others > 0 && <li>and {countOf(others, 'other file')}</li>}
    </ul>
  );
}
