import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { refusalText } from '../../../client/api-error.ts';
import { RECIPIENTS_MAX } from '../../../contracts/plans/limits.ts';
import { resendTransfer } from '../../../contracts/transfers/transfers.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { EmailsField } from '../../components/emails-field.tsx';
import { toast } from '../../components/toast.ts';
import { describeEmailMistakes, parseEmails } from '../../lib/email-list.ts';

type ResendEmailProps = {
  transferId: string | undefined;
  /** Who was mailed when the transfer was completed; empty: the addresses are asked for. */
  recipients: string[];
};

/** Mails the link again, or for the first time. */
export function ResendEmail({ transferId, recipients: mailedBefore }: ResendEmailProps) {
  const [recipients, setRecipients] = useState(mailedBefore);
  const [isAsking, setAsking] = useState(false);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const emails = parseEmails(text);

  const send = async (recipientEmails: string[]) => {
    if (!transferId) {
      toast({ title: 'Transfer information not available', variant: 'destructive' });
      return;
    }
    setBusy(true);
    try {
      await call(resendTransfer, { params: { id: transferId }, body: { recipientEmails } });
      const title = recipients.length > 0 ? 'Email resent!' : 'Email sent!';
      toast({ title, description: recipientEmails.join(', ') });
      setRecipients(recipientEmails);
      setAsking(false);
    } catch (failure) {
      toast({
        title: 'Failed to resend email',
        description: refusalText(failure),
        variant: 'destructive',
      });
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!describeEmailMistakes(emails, RECIPIENTS_MAX)) void send(emails);
  };

  if (isAsking) {
    return (
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <EmailsField
          label="Recipient e-mails"
          hint="Separate addresses with commas."
          max={RECIPIENTS_MAX}
          autoFocus
          value={text}
          onChange={setText}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="sm" isBusy={isBusy} disabled={emails.length === 0} icon={<Send />}>
            Send Email
          </Button>
          <Button variant="ghost" size="sm" onClick={() => setAsking(false)}>
            Cancel
          </Button>
        </div>
      </form>
    );
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="min-w-40 grow basis-0 text-sm wrap-anywhere text-ink-soft">
        {recipients.length > 0 ? `Sent to ${recipients.join(', ')}` : 'Not sent to anybody yet'}
      </p>
      <Button
        variant="secondary"
        size="sm"
        icon={<Send />}
        isBusy={isBusy}
        onClick={() => (recipients.length > 0 ? void send(recipients) : setAsking(true))}
      >
        Resend Email
      </Button>
    </div>
  );
}
