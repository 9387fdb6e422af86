import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { errorDetail } from '../../../../client/api-error.ts';
import { askToReopen, REOPEN_NOTE_MAX } from '../../../../contracts/transfers/downloads/downloads.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { TextArea } from '../../../components/form/text-area.tsx';

type ReopenFormProps = { token: string; onClose: () => void; onAsked: () => void };

/** Mounted while the dialog is open. */
export function ReopenForm({ token, onClose, onAsked }: ReopenFormProps) {
  const [note, setNote] = useState('');
  const { run, isPending, error } = useAction(askToReopen, {
    failure: () => undefined,
    onSuccess: onAsked,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({ params: { token }, body: { note } });
  };
  return (
    <form onSubmit={submit}>
      <div className="flex flex-col gap-5">
        <TextArea
          label={t`Note`}
          isOptional
          rows={2}
          maxLength={REOPEN_NOTE_MAX}
          hint={t`Say who you are: the sender doesn't see who asked.`}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        {error && (
          <div role="alert">
            <FieldError id="reopen-refusal">{errorDetail(error)}</FieldError>
          </div>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" isBusy={isPending} busyLabel={t`Sending...`}>
          <Trans>Send Request</Trans>
        </Button>
      </DialogFooter>
    </form>
  );
}
