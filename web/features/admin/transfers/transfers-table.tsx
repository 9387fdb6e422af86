import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Ban, CalendarPlus, Flag, Lock, ShieldCheck, Trash2 } from 'lucide-react';
import { type AdminTransfer, EXTEND_DAYS_DEFAULT } from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { sharePath } from '../../../../contracts/values/addresses/links.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Link } from '../../../lib/routing.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import type { Selection } from '../../../lib/values/use-selection.ts';
import type { OpenTransferDialog } from './transfer-dialogs.tsx';
import { useExtend } from './transfer-queries.ts';

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
        <span className="ml-2 text-ink-faint">{plural(fileCount, { one: '# file', other: '# files' })}</span>
      </>
    ),
  },
  { label: t`Downloads`, render: ({ downloadCount }) => formatCount(downloadCount), isNumber: true },
  {
    label: t`Created`,
    render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
  },
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
  const { token, isArriving, isPasswordProtected, isTakenDown, openReports } = transfer;
  return (
    <div className="flex min-w-0 items-center gap-x-2.5 gap-y-1 max-roomy:flex-wrap">
      <a
        href={sharePath(token)}
        target="_blank"
        rel="noreferrer"
        title={nameTransfer(transfer)}
        className="min-w-0 rounded-xs py-1 font-medium hover:text-accent-ink max-roomy:line-clamp-2 max-roomy:wrap-anywhere roomy:truncate"
      >
        <bdi>{nameTransfer(transfer)}</bdi>
        <span className="sr-only">
          {' '}
          <Trans>(opens in a new tab)</Trans>
        </span>
      </a>
      {isPasswordProtected && (
        <span title={t`Password`} className="shrink-0 text-ink-faint">
          <Lock aria-hidden="true" className="size-3.5" />
          <span className="sr-only">
            <Trans>Password</Trans>
          </span>
        </span>
      )}
      {isArriving && (
        <Badge tone="accent">
          <Trans>Arriving</Trans>
        </Badge>
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
  );
}

function Owner({ transfer: { owner } }: { transfer: AdminTransfer }) {
  return (
    <div className="min-w-0 max-w-36">
      <Link
        to={`?owner=${encodeURIComponent(owner.username)}`}
        title={owner.email}
        className="block truncate rounded-xs py-1 hover:text-accent-ink"
      >
        {owner.username}
      </Link>
      <span className="block truncate text-xs text-ink-faint roomy:sr-only">{owner.email}</span>
    </div>
  );
}

function Expiry({ transfer: { expiresAt, isArriving, isExpired } }: { transfer: AdminTransfer }) {
  if (isExpired)
    return (
      <span className="text-danger-ink">
        <Trans>Expired</Trans>
      </span>
    );
  if (expiresAt === null) return isArriving ? '–' : t`Never`;
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
