import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  CalendarClock,
  Download,
  Files,
  Inbox,
  Lock,
  type LucideIcon,
  Mail,
  QrCode,
  Trash2,
} from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { transferPage } from '../../../../contracts/values/pages.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useIsPast } from '../../../lib/time/use-is-past.ts';
import { ExpiryBadge, LimitBadge, ReceivedBadge, ScanBadge, TakenDownBadge } from '../transfer-badges.tsx';
import { CopyLinkButton, DeleteDialog, ShareDialog } from '../transfer-dialogs.tsx';
import { useDeleteTransfer } from '../transfer-queries.ts';
import { downloadsOf } from '../wording.ts';
import { FROM_LIST } from './list-view.ts';

type TransferItemProps = { transfer: Transfer; isLeaving: boolean };

/** Folds away when deletion is confirmed, and returns if it fails. */
export const TransferItem = memo(function TransferItem({ transfer, isLeaving }: TransferItemProps) {
  const [dialog, setDialog] = useState<'delete' | 'share' | null>(null);
  const { mutate } = useDeleteTransfer();
  const close = () => setDialog(null);
  const confirm = () => {
    close();
    mutate(transfer.id);
  };
  return (
    <div
      inert={isLeaving}
      className={classNames(
        'grid transition-[grid-template-rows,opacity] duration-(--calm) ease-settle',
        isLeaving ? 'grid-rows-[0fr] opacity-0' : 'grid-rows-[1fr]',
      )}
    >
      <div className={classNames('min-h-0 min-w-0', isLeaving && 'overflow-hidden')}>
        {/* Remounted while it folds, so that the focused button is gone and the page gets the focus. */}
        <div key={String(isLeaving)} className="pb-4">
          <TransferCard
            transfer={transfer}
            onShare={() => setDialog('share')}
            onDelete={() => setDialog('delete')}
          />
        </div>
      </div>
      <ShareDialog transfer={transfer} isOpen={dialog === 'share'} onClose={close} />
      <DeleteDialog
        transfer={transfer}
        isOpen={dialog === 'delete'}
        onOpenChange={close}
        onConfirm={confirm}
      />
    </div>
  );
});

type TransferCardProps = { transfer: Transfer; onShare: () => void; onDelete: () => void };

/** ID of a card's heading. */
export function titleIdOf(id: string): string {
  return `title-of-${id}`;
}

function TransferCard({ transfer, onShare, onDelete }: TransferCardProps) {
  const titleId = titleIdOf(transfer.id);
  const page = transferPage(transfer.id);
  return (
    <Surface as="article" aria-labelledby={titleId}>
      <div className="flex flex-col items-start gap-x-6 gap-y-3 sm:flex-row sm:justify-between">
        <h2 id={titleId} className="line-clamp-2 min-w-0 text-xl wrap-anywhere">
          <Link to={page} state={FROM_LIST} className="rounded-xs hover:text-accent-ink">
            <bdi>{nameTransfer(transfer)}</bdi>
          </Link>
        </h2>
        <div className="flex flex-wrap gap-2">
          {transfer.receivedFrom !== null && <ReceivedBadge />}
          {transfer.isTakenDown && <TakenDownBadge />}
          <ScanBadge state={transfer.scanState} />
          <LimitBadge transfer={transfer} />
          <ExpiryBadge transfer={transfer} />
        </div>
      </div>
      <Facts transfer={transfer} />
      <div className="mt-5 flex flex-wrap gap-x-1 gap-y-2 sm:gap-2">
        <CopyLinkButton token={transfer.token} label={t`Copy Link`} size="sm" />
        <IconButton
          label={t`Share link and QR code`}
          icon={<QrCode />}
          variant="secondary"
          size="sm"
          onClick={onShare}
        />
        <LinkButton to={page} state={FROM_LIST} variant="secondary" size="sm">
          <Trans>View Details</Trans>
        </LinkButton>
        <Button
          variant="ghost"
          size="sm"
          icon={<Trash2 />}
          className="ml-auto max-sm:w-control-sm max-sm:px-0"
          onClick={onDelete}
        >
          <span className="max-sm:sr-only">
            <Trans>Delete</Trans>
          </span>
        </Button>
      </div>
    </Surface>
  );
}

function Facts({ transfer }: { transfer: Transfer }) {
  const { fileCount, totalSize, receivedFrom, recipientEmails } = transfer;
  const { isPasswordProtected, scheduledAvailableAt } = transfer;
  const isWaiting = !useIsPast(scheduledAvailableAt) && scheduledAvailableAt !== null;
  return (
    <ul className="tabular mt-3 flex flex-wrap gap-x-6 gap-y-1.5 text-sm text-ink-soft">
      <Fact icon={Files}>
        {plural(fileCount, { one: '# file', other: '# files' })} · {formatSize(totalSize)}
      </Fact>
      <Fact icon={Download}>{downloadsOf(transfer)}</Fact>
      {isPasswordProtected && (
        <Fact icon={Lock}>
          <Trans>Password protected</Trans>
        </Fact>
      )}
      {isWaiting && (
        <Fact icon={CalendarClock}>
          <Trans>Available from {formatDateTime(scheduledAvailableAt)}</Trans>
        </Fact>
      )}
      {receivedFrom !== null && (
        <Fact icon={Inbox} className="basis-full">
          <span className="line-clamp-2 wrap-anywhere">
            <Trans>From {receivedFrom}</Trans>
          </span>
        </Fact>
      )}
      {recipientEmails.length > 0 && (
        <Fact icon={Mail} className="basis-full">
          <span className="line-clamp-2 wrap-anywhere">{recipientEmails.join(', ')}</span>
        </Fact>
      )}
    </ul>
  );
}

type FactProps = { icon: LucideIcon; className?: string; children: ReactNode };

function Fact({ icon: Icon, className = '', children }: FactProps) {
  return (
    <li className={`flex min-w-0 items-start gap-2 ${className}`}>
      <Icon aria-hidden="true" className="mt-[0.15em] size-4 shrink-0 text-ink-faint" strokeWidth={1.75} />
      <span className="min-w-0">{children}</span>
    </li>
  );
}
