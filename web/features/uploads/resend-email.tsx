import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { splitEmails } from '../../../contracts/common.ts';
import { RecipientEmails, resendTransfer } from '../../../contracts/transfers.ts';
import { errorDetail } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { toast } from '../../components/toast.ts';

type ResendEmailProps = {
  transferId: string | undefined;
  /** Who got the link already; empty: the addresses are asked for. */
  recipients: string[];
};

/** Mails the link again, or for the first time. */
export function ResendEmail({ transferId, recipients }: ResendEmailProps) {
  const [isAsking, setAsking] = useState(false);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const send = async (recipientEmails: string[]) => {
    if (!transferId) {
      toast({ title: 'Transfer information not available', variant: 'destructive' });
      return;
    }
    setBusy(true);
    try {
      await call(resendTransfer, { params: { id: transferId }, body: { recipientEmails } });
      toast({ title: 'Email resent!', description: recipientEmails.join(', ') });
      setAsking(false);
    } catch (failure) {
      toast({
        title: 'Failed to resend email',
        description: errorDetail(failure),
        variant: 'destructive',
      });
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const emails = splitEmails(text);
    const issue = RecipientEmails.safeParse(emails).error?.issues[0];
    setError(issue?.message);
    if (!issue) void send(emails);
  };

  if (isAsking) {
    return (
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Recipient e-mails"
          hint="Separate addresses with commas."
          inputMode="email"
          autoCapitalize="none"
          autoFocus
          value={text}
          error={error}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            size="sm"
            isBusy={isBusy}
            disabled={splitEmails(text).length === 0}
            icon={<Send />}
          >
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
