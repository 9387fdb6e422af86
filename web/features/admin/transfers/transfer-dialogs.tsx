import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import {
  type AdminTransfer,
  EXTEND_DAYS_DEFAULT,
  EXTEND_DAYS_MAX,
} from '../../../../contracts/admin/transfers.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
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
      title={
        isOne
          ? t`Delete this transfer?`
          : t`Delete ${plural(transfers.length, { one: '# transfer', other: '# transfers' })}?`
      }
      description={
        isOne ? (
          <Trans>
            <strong dir="auto" className="font-medium wrap-anywhere text-ink">
              {nameTransfer(first!)}
            </strong>{' '}
            ({formatSize(bytes)}) will be deleted for the owner and for everyone who has the link. This cannot
            be undone.
          </Trans>
        ) : (
          <Trans>
            The selected transfers ({formatSize(bytes)}) will be deleted for their owners and for everyone who
            has a link. This cannot be undone.
          </Trans>
        )
      }
      confirmLabel={
        isOne
          ? t`Delete transfer`
          : t`Delete ${plural(transfers.length, { one: '# transfer', other: '# transfers' })}`
      }
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
  const name = (
    <strong dir="auto" className="font-medium wrap-anywhere text-ink">
      {nameTransfer(transfer)}
    </strong>
  );
  const isClosed = transfer.isTakenDown;
  return (
    <ConfirmDialog
      title={isClosed ? t`Reopen this transfer?` : t`Take this transfer down?`}
      description={
        isClosed ? (
          <Trans>Everyone who has the link of {name} can open and download it again.</Trans>
        ) : (
          <Trans>
            Only the owner will be able to open {name}. Nothing is deleted, and you can reopen it.
          </Trans>
        )
      }
      confirmLabel={isClosed ? t`Reopen` : t`Take down`}
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
      title={t`Extend ${plural(transfers.length, { one: '# transfer', other: '# transfers' })}`}
      description={t`The days are added to each expiry date. For expired transfers, they count from now.`}
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
      return setError(t`Please enter 1 to ${EXTEND_DAYS_MAX} days`);
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
    <form noValidate aria-label={t`Extend transfers`} onSubmit={submit}>
      <TextField
        label={t`Days`}
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
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isPending} busyLabel={t`Extending...`}>
          <Trans>Extend</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}
