import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { countOf } from './wording.ts';

type DeleteDialogProps = {
  transfer: Transfer;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  isBusy?: boolean;
  onConfirm: () => void;
};

export function DeleteDialog({ transfer, ...dialog }: DeleteDialogProps) {
  return (
    <ConfirmDialog
      title="Delete this transfer?"
      description={
        <>
          <strong className="font-medium wrap-anywhere text-ink">{nameTransfer(transfer)}</strong> with its{' '}
          {countOf(transfer.fileCount, 'file')} will be deleted for you and for everyone who has the link.
          This cannot be undone.
        </>
      }
      confirmLabel="Delete transfer"
      isDestructive
      {...dialog}
    />
  );
}
