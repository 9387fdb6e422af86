import { Check, Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { RECIPIENTS_MAX } from '../../../contracts/plans/limits.ts';
import { resendTransfer } from '../../../contracts/transfers/transfers.ts';
import { countOf } from '../../../contracts/values/format.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/actions/button.tsx';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { Dialog } from '../../components/actions/dialog.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { QrCode } from '../../components/actions/qr-code.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { EmailsField } from '../../components/form/emails-field.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { describeEmailMistakes, parseEmails } from '../../lib/values/email-list.ts';

/** A transfer that was just sent. */
export type SentTransfer = {
  transferId: string | undefined;
  link: string;
  fileCount: number;
  /** Bytes. */
  totalBytes: number;
  recipients: string[];
  isPasswordProtected: boolean;
};

type SuccessDialogProps = {
  sent: SentTransfer;
  isOpen: boolean;
  onClose: () => void;
};

/** Shows the link of a transfer that was just sent. */
export function SuccessDialog({ sent, isOpen, onClose }: SuccessDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(next) => !next && onClose()}
      title="Ready to share"
      description={`${countOf(sent.fileCount, 'file')}, ${formatSize(sent.totalBytes)}. ${sent.isPasswordProtected ? 'The link asks for the password.' : 'Anyone with the link can download.'}`}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Upload More
          </Button>
          <LinkButton to={PAGES.dashboard} variant="secondary">
            View Transfers
          </LinkButton>
        </>
      }
    >
      <ArrivalRings />
      <div className="flex flex-col gap-5">
        <div className="flex flex-col gap-3 sm:flex-row sm:items-end">
          <TextField
            label="Share link"
            readOnly
            value={sent.link}
            className="grow"
            onFocus={({ target }) => target.select()}
          />
          <CopyButton
            text={sent.link}
            label="Copy Link"
            variant="primary"
            onCopied={() =>
              toast({ title: 'Link copied!', description: 'Share link has been copied to clipboard.' })
            }
            onFailed={() =>
              toast({
                title: 'The link could not be copied',
                description: 'Your browser refused. Please select the link and copy it yourself.',
                variant: 'destructive',
              })
            }
          />
        </div>
        <div className="flex items-center gap-5">
          <QrCode text={sent.link} label="QR code of the share link" />
          <p className="text-sm text-ink-soft">Scan the code to open the link on a phone.</p>
        </div>
        <hr />
        <ResendEmail transferId={sent.transferId} recipients={sent.recipients} />
      </div>
    </Dialog>
  );
}

/** Rings that run outward once. */
function ArrivalRings() {
  return (
    <div className="relative isolate mb-6 grid h-32 place-items-center overflow-hidden rounded-lg bg-sunken">
      <Ripples
        motion="arrive"
        tone="accent"
        count={7}
        view="slanted"
        className="absolute top-1/2 left-1/2 -z-10 w-[44rem] max-w-none -translate-x-1/2 -translate-y-1/2"
      />
      <span className="grid size-14 animate-pop-in place-items-center rounded-full bg-accent text-on-accent">
        <Check aria-hidden="true" strokeWidth={2.5} className="size-7" />
      </span>
    </div>
  );
}

type ResendEmailProps = {
  transferId: string | undefined;
  /** Recipients so far. If there are none, the form asks for addresses. */
  recipients: string[];
};

/** Emails the link again, or for the first time. */
function ResendEmail({ transferId, recipients: mailedBefore }: ResendEmailProps) {
  const [recipients, setRecipients] = useState(mailedBefore);
  const [isEntering, setEntering] = useState(false);
  const [text, setText] = useState('');
  const emails = parseEmails(text);

  const { mutate, isPending } = useAction(
    (recipientEmails: string[]) =>
      call(resendTransfer, { params: { id: transferId! }, body: { recipientEmails } }),
    {
      success: (_sent, recipientEmails) => ({
        title: recipients.length > 0 ? 'Email resent!' : 'Email sent!',
        description: recipientEmails.join(', '),
      }),
      onSuccess: (_sent, recipientEmails) => {
        setRecipients(recipientEmails);
        setEntering(false);
      },
      failure: 'Failed to resend email',
    },
  );
  const send = (recipientEmails: string[]) => {
    if (!transferId) {
      toast({ title: 'Transfer information not available', variant: 'destructive' });
      return;
    }
    mutate(recipientEmails);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!describeEmailMistakes(emails, RECIPIENTS_MAX)) send(emails);
  };

  if (isEntering) {
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
          <Button type="submit" size="sm" isBusy={isPending} disabled={emails.length === 0} icon={<Send />}>
            Send Email
          </Button>
          <Button variant="ghost" size="sm" onClick={() => setEntering(false)}>
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
        isBusy={isPending}
        onClick={() => (recipients.length > 0 ? send(recipients) : setEntering(true))}
      >
        Resend Email
      </Button>
    </div>
  );
}
