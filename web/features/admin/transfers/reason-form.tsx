import { type FormEvent, type ReactNode, useState } from 'react';
import { SCAN_REASON_MAX } from '../../../../contracts/admin/scanning.ts';
import { Button } from '../../../components/actions/button.tsx';
import { DialogFooter } from '../../../components/actions/dialog.tsx';
import { TextArea } from '../../../components/form/text-area.tsx';

type ReasonFormProps = {
  /** The form's accessible name. */
  label: string;
  submitLabel: string;
  isDestructive?: boolean;
  isBusy: boolean;
  /** Above the reason. */
  children?: ReactNode;
  onSubmit: (reason: string) => void;
  onCancel: () => void;
};

/** Asks for the reason of a decision, which goes into the audit log. */
export function ReasonForm(props: ReasonFormProps) {
  const { label, submitLabel, isDestructive = false, isBusy, children, onSubmit, onCancel } = props;
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (reason.trim() === '') return setError('Please give a reason');
    onSubmit(reason.trim());
  };
  return (
    <form noValidate aria-label={label} onSubmit={submit}>
      {children}
      <TextArea
        label="Reason"
        hint="Other administrators see it in the audit log."
        maxLength={SCAN_REASON_MAX}
        value={reason}
        error={error}
        onChange={({ target }) => {
          setReason(target.value);
          setError(undefined);
        }}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant={isDestructive ? 'danger' : 'primary'} isBusy={isBusy}>
          {submitLabel}
        </Button>
      </DialogFooter>
    </form>
  );
}
