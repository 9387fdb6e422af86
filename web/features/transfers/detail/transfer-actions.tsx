import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  CalendarPlus,
  Download,
  ExternalLink,
  FilePlus2,
  LockKeyholeOpen,
  Pencil,
  QrCode,
  RefreshCw,
  RotateCcw,
  Send,
  Share2,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  sharePath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { addFilesPage } from '../../../../contracts/values/addresses/pages.ts';
import { useSession } from '../../../api/session/session.ts';
import { useTierConfig } from '../../../api/tier-limits.ts';
import { Button } from '../../../components/actions/button.tsx';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { canShareNatively, shareNatively } from '../../../components/actions/native-share.ts';
import { MissingKey } from '../../../key-ring/missing-key.tsx';
import { useWholeLink } from '../../../key-ring/readable-transfers.ts';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { PickupCodeControl } from '../../../transfer-settings/pickup-code.tsx';
import { canBeUndone, useDeleteTransfers } from '../deletion.ts';
import { useIsExpired } from '../transfer-badges.tsx';
import { CopyLinkButton, DeleteDialog, ShareDialog, useLink } from '../transfer-dialogs.tsx';
import { useIsLinkOpen } from '../use-is-link-open.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import { ResendDialog } from './resend-dialog.tsx';

type OpenDialog = 'share' | 'edit' | 'extend' | 'resend' | 'update' | 'delete';
type BarProps = {
  transfer: TransferDetail;
  /** Only one action of the page stands out. */
  primary: PrimaryAction;
  onOpen: (dialog: OpenDialog) => void;
};

type PrimaryAction = 'copy' | 'reopen' | 'download' | 'open';

/** An expired link is useless until it is reopened, and received files are there to be downloaded. */
function usePrimaryAction(transfer: TransferDetail): PrimaryAction {
  const isExpired = useIsExpired(transfer);
  const isOpen = useIsLinkOpen(transfer);
  const link = useWholeLink(transfer)?.link;
  if (isExpired) return 'reopen';
  if (transfer.receivedKey) return link === undefined ? 'copy' : 'open';
  return transfer.receivedFrom !== null && isOpen ? 'download' : 'copy';
}

const useUpdate = lateModule(() => import('../update/update-dialog.tsx'));

/** The link and the actions of a transfer. */
export function TransferActions({ transfer }: { transfer: TransferDetail }) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const { user } = useSession();
  const { tiers } = useTierConfig();
  const tier = user?.tier ?? 'free';
  const plan = { tier, retentionDays: tiers[tier].retentionDays };
  const close = () => setDialog(null);
  const update = useUpdate(dialog === 'update');
  const deletion = useDeleteTransfers();
  const remove = () => deletion.isPending || deletion.mutate([transfer]);
  const open = (wanted: OpenDialog) => {
    if (wanted === 'delete' && canBeUndone(transfer)) remove();
    else setDialog(wanted);
  };
  const bar = { transfer, primary: usePrimaryAction(transfer), onOpen: open };
  return (
    <div className="mt-8 flex flex-col gap-4">
      <LinkBar {...bar} />
      <Buttons {...bar} />
      <OfferedPickupCode transfer={transfer} />
      <ShareDialog transfer={transfer} isOpen={dialog === 'share'} onClose={close} />
      <EditDialog transfer={transfer} plan={plan} isOpen={dialog === 'edit'} onClose={close} />
      <ExtendDialog transfer={transfer} plan={plan} isOpen={dialog === 'extend'} onClose={close} />
      <ResendDialog transfer={transfer} isOpen={dialog === 'resend'} onClose={close} />
      {update && <update.UpdateDialog transfer={transfer} isOpen={dialog === 'update'} onClose={close} />}
      <DeleteDialog
        transfer={transfer}
        isOpen={dialog === 'delete'}
        onOpenChange={close}
        isBusy={deletion.isPending}
        onConfirm={remove}
      />
    </div>
  );
}

function OfferedPickupCode({ transfer }: { transfer: TransferDetail }) {
  const isExpired = useIsExpired(transfer);
  if (isExpired || transfer.encryption) return null;
  return <PickupCodeControl transferId={transfer.id} className="mt-2 max-w-[40rem]" />;
}

/** The link as text, so that it can be read and selected. */
function LinkBar({ transfer, primary, onOpen }: BarProps) {
  const link = useLink(transfer);
  if (link === undefined)
    return (
      <MissingKey
        transfer={transfer}
        className="rounded-lg border border-line-firm bg-surface px-5 py-4 text-ink-soft"
      />
    );
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line-firm bg-surface p-2 sm:flex-row sm:items-center sm:rounded-full">
      <p className="min-w-0 grow px-4 font-mono text-sm break-all text-ink-soft select-all max-sm:pt-2">
        {link}
      </p>
      <div className="flex gap-2">
        <IconButton
          label={t`QR code`}
          icon={<QrCode />}
          variant="secondary"
          onClick={() => onOpen('share')}
        />
        {canShareNatively() && (
          <IconButton
            label={t`Share`}
            icon={<Share2 />}
            variant="secondary"
            onClick={() => shareNatively(link, nameTransfer(transfer))}
          />
        )}
        <CopyLinkButton
          transfer={transfer}
          label={t`Copy Share Link`}
          variant={primary === 'copy' ? 'primary' : 'secondary'}
          className="max-sm:grow"
        />
      </div>
    </div>
  );
}

function Buttons({ transfer, primary, onOpen }: BarProps) {
  const isExpired = useIsExpired(transfer);
  const link = useWholeLink(transfer)?.link;
  const isArriving = transfer.status === 'arriving';
  const isOwn = transfer.encryption === null && transfer.receivedFrom === null;
  const canBeUpdated = isOwn && !isExpired && !isArriving;
  return (
    <div className="flex flex-wrap gap-2">
      {primary === 'download' && <DownloadReceived transfer={transfer} />}
      {primary === 'open' && (
        <a href={link} target="_blank" rel="noreferrer" className={buttonClasses('primary', 'sm')}>
          <LockKeyholeOpen aria-hidden="true" />
          <Trans>Open</Trans>
        </a>
      )}
      <Button variant="secondary" size="sm" icon={<Pencil />} onClick={() => onOpen('edit')}>
        <Trans>Edit</Trans>
      </Button>
      {!isArriving && (
        <Button
          variant={primary === 'reopen' ? 'primary' : 'secondary'}
          size="sm"
          icon={isExpired ? <RotateCcw /> : <CalendarPlus />}
          onClick={() => onOpen('extend')}
        >
          {isExpired ? t`Reopen` : t`Extend`}
        </Button>
      )}
      {!isExpired && !isArriving && (
        <Button variant="secondary" size="sm" icon={<Send />} onClick={() => onOpen('resend')}>
          <Trans>Resend Email</Trans>
        </Button>
      )}
      {/* On phones the text of the quiet buttons aligns with the page. */}
      <div className="-mx-3.5 flex flex-wrap gap-x-2 sm:mx-0 sm:grow">
        {!isExpired && !isArriving && (
          <LinkButton to={addFilesPage(transfer.id)} variant="ghost" size="sm" icon={<FilePlus2 />}>
            <Trans>Add files</Trans>
          </LinkButton>
        )}
        {canBeUpdated && (
          <Button variant="ghost" size="sm" icon={<RefreshCw />} onClick={() => onOpen('update')}>
            <Trans>Update…</Trans>
          </Button>
        )}
        {/* “Open” leads there, too. */}
        {primary !== 'open' && (
          <LinkButton
            to={link ?? sharePath(transfer.token)}
            target="_blank"
            variant="ghost"
            size="sm"
            icon={<ExternalLink />}
          >
            <Trans>Open download page</Trans>
          </LinkButton>
        )}
        <Button
          variant="ghost"
          size="sm"
          icon={<Trash2 />}
          className="sm:ml-auto"
          onClick={() => onOpen('delete')}
        >
          <Trans>Delete</Trans>
        </Button>
      </div>
    </div>
  );
}

function DownloadReceived({ transfer: { token, files } }: { transfer: TransferDetail }) {
  const [single] = files;
  return (
    <a
      href={files.length === 1 ? fileDownloadPath(token, single!.id) : zipDownloadPath(token)}
      download
      className={buttonClasses('primary', 'sm')}
    >
      <Download />
      {files.length === 1 ? t`Download` : t`Download All Files`}
    </a>
  );
}
