import { type FormEvent, useState } from 'react';
import { RECIPIENTS_MAX } from '../../../contracts/plans/limits.ts';
import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { uniqueEmails } from '../../../contracts/values/fields.ts';
import { Button } from '../../components/button.tsx';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { EmailsField } from '../../components/emails-field.tsx';
import { FieldError } from '../../components/field.tsx';
import { describeEmailMistakes, parseEmails } from '../../lib/email-list.ts';
import { RecipientChoice } from './recipient-choice.tsx';
import { useResend } from './use-resend.ts';

type ResendDialogProps = { transfer: TransferDetail; isOpen: boolean; onClose: () => void };

/** Mails the link again, to some of those who were sent it or to others. */
export function ResendDialog({ transfer, isOpen, onClose }: ResendDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title="Resend Email"
      description="Everyone chosen here is sent the share link."
    >
      <ResendForm transfer={transfer} onClose={onClose} />
    </Dialog>
  );
}

/** Lives as long as the dialog is open: what was typed and not sent is forgotten. */
function ResendForm({ transfer, onClose }: { transfer: TransferDetail; onClose: () => void }) {
  const { recipientEmails } = transfer;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(recipientEmails));
  const [others, setOthers] = useState('');
  const { send, isSending, refusal, secondsLeft } = useResend(transfer.id);
  const typed = parseEmails(others);
  const emails = uniqueEmails([...recipientEmails.filter((email) => chosen.has(email)), ...typed]);
  const mistake = describeEmailMistakes(emails, RECIPIENTS_MAX);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (emails.length > 0 && !mistake && secondsLeft === 0 && (await send(emails))) onClose();
  };
  return (
    <form noValidate onSubmit={submit}>
      <div className="flex flex-col gap-5">
        {recipientEmails.length > 0 && (
          <RecipientChoice emails={recipientEmails} chosen={chosen} onChange={setChosen} />
        )}
        <EmailsField
          label={recipientEmails.length > 0 ? 'Other addresses' : 'Recipient emails'}
          hint="Separate addresses with commas."
          max={RECIPIENTS_MAX}
          value={others}
          onChange={setOthers}
          error={emails.length > RECIPIENTS_MAX ? mistake : undefined}
        />
        {refusal && (
          <div role="alert">
            <FieldError id="resend-refusal">{refusal}</FieldError>
          </div>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <CoolDownButton
          type="submit"
          secondsLeft={secondsLeft}
          waitingLabel="Send"
          disabled={emails.length === 0 || mistake !== undefined}
          isBusy={isSending}
          busyLabel="Sending..."
        >
          Send Email
        </CoolDownButton>
      </DialogFooter>
    </form>
  );
}
