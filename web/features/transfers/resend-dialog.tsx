import { type FormEvent, useState } from 'react';
import { isEmail, splitEmails } from '../../../contracts/common.ts';
import { RECIPIENTS_MAX } from '../../../contracts/limits.ts';
import type { Transfer } from '../../../contracts/transfers.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { TextArea } from '../../components/text-area.tsx';
import { toast } from '../../components/toast.ts';
import { useResendTransfer } from './transfer-queries.ts';
import { countOf } from './wording.ts';

type ResendDialogProps = { transfer: Transfer; isOpen: boolean; onClose: () => void };

/** Mails the link again; the addresses are those of the transfer until they are changed. */
export function ResendDialog({ transfer, isOpen, onClose }: ResendDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title="Resend Email"
      description="Everyone listed here is sent the share link."
    >
      <ResendForm transfer={transfer} onClose={onClose} />
    </Dialog>
  );
}

/** Lives as long as the dialog is open: what was typed and not sent is forgotten. */
function ResendForm({ transfer, onClose }: { transfer: Transfer; onClose: () => void }) {
  const [text, setText] = useState(transfer.recipientEmails.join(', '));
  const [error, setError] = useState<string>();
  const { mutateAsync, isPending } = useResendTransfer(transfer.id);
  const emails = splitEmails(text);
  const change = (next: string) => {
    setText(next);
    setError(undefined);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const mistake = findMistake(emails);
    if (mistake) return setError(mistake);
    try {
      const { sent } = await mutateAsync(emails);
      toast({
        title: 'Email sent!',
        description: `The link is on its way to ${countOf(sent, 'recipient')}.`,
      });
      onClose();
    } catch {
      toast({
        title: 'Failed to send email',
        description: 'Please try again later.',
        variant: 'destructive',
      });
    }
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextArea
        label="Recipient emails"
        hint="Separate addresses with commas."
        rows={3}
        spellCheck={false}
        autoCapitalize="none"
        value={text}
        onChange={(event) => change(event.target.value)}
        error={error}
      />
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={emails.length === 0} isBusy={isPending} busyLabel="Sending...">
          Send Email
        </Button>
      </DialogFooter>
    </form>
  );
}

/** Names the address that is wrong, so that it can be found among fifty. */
function findMistake(emails: string[]): string | undefined {
  const wrong = emails.find((email) => !isEmail(email));
  if (wrong) return `Please enter a valid email address: “${wrong}” is not one.`;
  if (emails.length > RECIPIENTS_MAX) return `Please enter at most ${RECIPIENTS_MAX} addresses`;
}
