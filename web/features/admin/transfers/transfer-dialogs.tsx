import { type FormEvent, useState } from 'react';
import {
  type AdminTransfer,
  EXTEND_DAYS_DEFAULT,
  EXTEND_DAYS_MAX,
} from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { countOf } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/actions/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../../components/actions/dialog.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { toNumber } from '../form-values.ts';
import { useLast } from '../use-last.ts';
import { useBatchDelete, useBatchExtend, useDeleteAny, useSetTakenDown } from './transfer-queries.ts';

export type OpenTransferDialog = { kind: 'delete' | 'extend' | 'take-down'; transfers: AdminTransfer[] };

type TransferDialogsProps = {
  dialog: OpenTransferDialog | null;
  onClose: () => void;
  onGone: (ids: ReadonlySet<string>) => void;
  onExtended: () => void;
};

export function TransferDialogs({ dialog, onClose, onGone, onExtended }: TransferDialogsProps) {
  // Keep the content while the dialog fades out.
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

type ExtendDialogProps = {
  transfers: AdminTransfer[];
  isOpen: boolean;
  onClose: () => void;
  onExtended: () => void;
};

function ExtendDialog({ transfers, isOpen, onClose, onExtended }: ExtendDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      size="sm"
      title={`Extend ${countOf(transfers.length, 'transfer')}`}
      description="The days are added to each one's end; for what has expired they count from now."
    >
      <ExtendForm {...{ transfers, onClose, onExtended }} />
    </Dialog>
  );
}

/** Mounted only while the dialog is open, so its state starts fresh. */
function ExtendForm({ transfers, onClose, onExtended }: Omit<ExtendDialogProps, 'isOpen'>) {
  const [text, setText] = useState(String(EXTEND_DAYS_DEFAULT));
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useBatchExtend();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const days = toNumber(text);
    const transferIds = transfers.map(({ id }) => id);
    if (!Number.isInteger(days) || days < 1 || days > EXTEND_DAYS_MAX)
      return setError(`Please give 1 to ${EXTEND_DAYS_MAX} days`);
    mutate(
      { transferIds, days },
      {
        onSuccess: () => {
          onExtended();
          onClose();
        },
      },
    );
  };
  return (
    <form noValidate aria-label="Extend transfers" onSubmit={submit}>
      <TextField
        label="Days"
        type="number"
        inputMode="numeric"
        min={1}
        max={EXTEND_DAYS_MAX}
        value={text}
        error={error}
        onChange={({ target }) => {
          setText(target.value);
          setError(undefined);
        }}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isPending} busyLabel="Extending...">
          Extend
        </Button>
      </DialogFooter>
    </form>
  );
}
