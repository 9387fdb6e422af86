import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Ban, CalendarPlus, Flag, Lock, ShieldCheck, Trash2 } from 'lucide-react';
import { Link } from 'react-router';
import { type AdminTransfer, EXTEND_DAYS_DEFAULT } from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { sharePath } from '../../../../contracts/values/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import type { OpenTransferDialog } from './transfer-dialogs.tsx';
import { useExtend } from './transfer-queries.ts';
import type { Selection } from './transfer-selection.tsx';

type TransfersTableProps = {
  transfers: AdminTransfer[];
  selection: Selection<AdminTransfer>;
  onOpen: (dialog: OpenTransferDialog) => void;
};

const COLUMNS: Column<AdminTransfer>[] = [
  { label: t`Owner`, render: (transfer) => <Owner transfer={transfer} /> },
  {
    label: t`Size`,
    isNumber: true,
    render: ({ totalSize, fileCount }) => (
      <>
        {formatSize(totalSize)}
        <span className="block text-xs text-ink-faint">
          {plural(fileCount, { one: '# file', other: '# files' })}
        </span>
      </>
    ),
  },
  { label: t`Downloads`, render: ({ downloadCount }) => formatCount(downloadCount), isNumber: true },
  { label: t`Expires`, render: (transfer) => <Expiry transfer={transfer} /> },
];

export function TransfersTable({ transfers, selection, onOpen }: TransfersTableProps) {
  return (
    <DataTable
      label={t`Transfers`}
      rows={transfers}
      keyOf={({ id }) => id}
      heading={{ label: t`Transfer`, render: (transfer) => <Title transfer={transfer} /> }}
      columns={COLUMNS}
      choice={{ isChosen: selection.has, onChoose: selection.choose, nameOf: nameTransfer }}
      actions={(transfer) => (
        <>
          <ExtendButton transfer={transfer} />
          <IconButton
            label={
              transfer.isTakenDown
                ? t`Reopen ${nameTransfer(transfer)}`
                : t`Take down ${nameTransfer(transfer)}`
            }
            icon={transfer.isTakenDown ? <ShieldCheck /> : <Ban />}
            size="sm"
            onClick={() => onOpen({ kind: 'take-down', transfers: [transfer] })}
          />
          <IconButton
            label={t`Delete ${nameTransfer(transfer)}`}
            icon={<Trash2 />}
            size="sm"
            onClick={() => onOpen({ kind: 'delete', transfers: [transfer] })}
          />
        </>
      )}
    />
  );
}

function Title({ transfer }: { transfer: AdminTransfer }) {
  const { token, createdAt, isPasswordProtected, isTakenDown, openReports } = transfer;
  return (
    <div className="min-w-0">
      <a
        href={sharePath(token)}
        target="_blank"
        rel="noreferrer"
        className="line-clamp-2 rounded-xs font-medium wrap-anywhere hover:text-accent-ink"
      >
        <bdi>{nameTransfer(transfer)}</bdi>
        <span className="sr-only">
          {' '}
          <Trans>(opens in a new tab)</Trans>
        </span>
      </a>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-faint">
        <time dateTime={createdAt}>{formatDate(createdAt)}</time>
        {isPasswordProtected && (
          <span className="flex items-center gap-1">
            <Lock aria-hidden="true" className="size-3.5" /> <Trans>Password</Trans>
          </span>
        )}
        {openReports > 0 && (
          <Badge tone="danger" icon={<Flag aria-hidden="true" />}>
            {plural(openReports, { one: '# report', other: '# reports' })}
          </Badge>
        )}
        {isTakenDown && (
          <Badge tone="danger" icon={<Ban aria-hidden="true" />}>
            <Trans>Taken down</Trans>
          </Badge>
        )}
      </div>
    </div>
  );
}

function Owner({ transfer: { owner } }: { transfer: AdminTransfer }) {
  return (
    <div className="max-w-48 min-w-0">
      <Link
        to={{ search: `owner=${encodeURIComponent(owner.username)}` }}
        className="block truncate rounded-xs hover:text-accent-ink"
      >
        {owner.username}
      </Link>
      <span className="block truncate text-xs text-ink-faint">{owner.email}</span>
    </div>
  );
}

function Expiry({ transfer: { expiresAt, isExpired } }: { transfer: AdminTransfer }) {
  if (isExpired)
    return (
      <span className="text-danger-ink">
        <Trans>Expired</Trans>
      </span>
    );
  if (expiresAt === null) return t`Never`;
  return <LiveExpiry expiresAt={expiresAt} />;
}

function LiveExpiry({ expiresAt }: { expiresAt: string }) {
  return <time dateTime={expiresAt}>{useRelativeTime(expiresAt)}</time>;
}

function ExtendButton({ transfer }: { transfer: AdminTransfer }) {
  const { mutate, isPending } = useExtend(transfer);
  return (
    <Button
      variant="secondary"
      size="sm"
      icon={<CalendarPlus aria-hidden="true" />}
      aria-label={t`+${EXTEND_DAYS_DEFAULT}d: extend ${nameTransfer(transfer)}`}
      isBusy={isPending}
      onClick={() => mutate()}
    >
      +{EXTEND_DAYS_DEFAULT}d
    </Button>
  );
}
