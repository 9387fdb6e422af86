import { type FormEvent, useState } from 'react';
import {
  type AdminTransfer,
  EXTEND_DAYS_DEFAULT,
  EXTEND_DAYS_MAX,
} from '../../../contracts/admin/transfers.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toNumber } from './form-rules.ts';
import { useBatchExtend } from './transfer-queries.ts';
import { countOf } from './wording.ts';

type ExtendDialogProps = {
  transfers: AdminTransfer[];
  isOpen: boolean;
  onClose: () => void;
  onExtended: () => void;
};

/** So many days more for all that were chosen. */
export function ExtendDialog({ transfers, isOpen, onClose, onExtended }: ExtendDialogProps) {
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

/** Lives as long as the dialog is open. */
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
