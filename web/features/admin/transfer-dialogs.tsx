import type { AdminTransfer } from '../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import { useBatchDelete, useDeleteAny, useSetTakenDown } from './transfer-queries.ts';
import { useLast } from './use-last.ts';
import { countOf } from './wording.ts';

/** What is asked before something is done, and about which. */
export type OpenTransferDialog = { kind: 'delete' | 'extend' | 'take-down'; transfers: AdminTransfer[] };

type TransferDialogsProps = {
  dialog: OpenTransferDialog | null;
  onClose: () => void;
  onGone: (ids: ReadonlySet<string>) => void;
  onExtended: () => void;
};

export function TransferDialogs({ dialog, onClose, onGone, onExtended }: TransferDialogsProps) {
  // Closing, a dialog still says what it is about.
  const transfers = useLast(dialog?.transfers);
  if (!transfers?.[0]) return null;
  return (
    <>
      <DeleteDialog {...{ transfers, onClose, onGone }} isOpen={dialog?.kind === 'delete'} />
      <ExtendDialog {...{ transfers, onClose, onExtended }} isOpen={dialog?.kind === 'extend'} />
      <TakeDownDialog transfer={transfers[0]} isOpen={dialog?.kind === 'take-down'} onClose={onClose} />
    </>
  );
}

type DeleteDialogProps = {
  transfers: AdminTransfer[];
  isOpen: boolean;
  onClose: () => void;
  onGone: (ids: ReadonlySet<string>) => void;
};

function DeleteDialog({ transfers, isOpen, onClose, onGone }: DeleteDialogProps) {
  const single = useDeleteAny();
  const batch = useBatchDelete();
  const [first] = transfers;
  const isOne = transfers.length === 1;
  const bytes = transfers.reduce((sum, { totalSize }) => sum + totalSize, 0);
  const ids = transfers.map(({ id }) => id);
  const options = { onSuccess: () => onGone(new Set(ids)), onSettled: onClose };
  return (
    <ConfirmDialog
      title={isOne ? 'Delete this transfer?' : `Delete ${countOf(transfers.length, 'transfer')}?`}
      description={
        <>
          <strong className="font-medium wrap-anywhere text-ink">
            {isOne ? nameTransfer(first!) : countOf(transfers.length, 'transfer')}
          </strong>{' '}
          with {formatSize(bytes)} will be deleted for {isOne ? 'the owner' : 'their owners'} and for everyone
          who has the link. This cannot be undone.
        </>
      }
      confirmLabel={isOne ? 'Delete transfer' : `Delete ${countOf(transfers.length, 'transfer')}`}
      isDestructive
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={single.isPending || batch.isPending}
      onConfirm={() => (isOne ? single.mutate(first!, options) : batch.mutate(ids, options))}
    />
  );
}

type TakeDownDialogProps = { transfer: AdminTransfer; isOpen: boolean; onClose: () => void };

function TakeDownDialog({ transfer, isOpen, onClose }: TakeDownDialogProps) {
  const { mutate, isPending } = useSetTakenDown();
  const name = <strong className="font-medium wrap-anywhere text-ink">{nameTransfer(transfer)}</strong>;
  const isClosed = transfer.isTakenDown;
  return (
    <ConfirmDialog
      title={isClosed ? 'Open this transfer again?' : 'Take this transfer down?'}
      description={
        isClosed ? (
          <>Everyone who has the link of {name} can open and download it again.</>
        ) : (
          <>Nobody but the owner can open {name} any more. Nothing is deleted, and it can be opened again.</>
        )
      }
      confirmLabel={isClosed ? 'Open again' : 'Take down'}
      isDestructive={!isClosed}
      isOpen={isOpen}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(transfer, { onSettled: onClose })}
    />
  );
}
