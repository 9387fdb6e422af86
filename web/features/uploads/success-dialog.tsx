import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Send, Share2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { RECIPIENTS_MAX } from '../../../contracts/plans/limits.ts';
import { resendTransfer } from '../../../contracts/transfers/transfers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/actions/button.tsx';
import { CopyButton } from '../../components/actions/copy-button.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { canShareNatively, shareNatively } from '../../components/actions/native-share.ts';
import { QrCode } from '../../components/actions/qr-code.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { EmailsField } from '../../components/form/emails-field.tsx';
import { TextArea } from '../../components/form/text-area.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { KeyActions } from '../../key-ring/key-actions.tsx';
import { MOBILE, useMediaQuery } from '../../lib/hooks/use-media-query.ts';
import { describeEmailMistakes, parseEmails } from '../../lib/values/email-list.ts';
import { PickupCodeControl } from '../../transfer-settings/pickup-code.tsx';

/** A transfer that was just sent. */
export type SentTransfer = {
  transferId: string | undefined;
  link: string;
  /** The fragment of an encrypted transfer's link, without `#`. */
  key: string | undefined;
  fileCount: number;
  /** Bytes. */
  totalBytes: number;
  recipients: string[];
  isPasswordProtected: boolean;
};

type SuccessDialogProps = { sent: SentTransfer; onClose: () => void };

/** Shows the link of a transfer that was just sent. */
export function SuccessDialog({ sent, onClose }: SuccessDialogProps) {
  const { link, key, recipients, isPasswordProtected } = sent;
  const isPhone = useMediaQuery(MOBILE);
  const size = `${plural(sent.fileCount, { one: '# file', other: '# files' })}, ${formatSize(sent.totalBytes)}`;
  const access = key
    ? isPasswordProtected
      ? t`Only people with the whole link and the password can open the files.`
      : t`Only people with the whole link can open the files.`
    : isPasswordProtected
      ? t`The link requires the password.`
      : t`Anyone with the link can download.`;
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t`Ready to share`}
      description={`${size}. ${access}`}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            <Trans>Upload More</Trans>
          </Button>
          <LinkButton to={PAGES.dashboard} variant="secondary" onClick={onClose}>
            <Trans>View Transfers</Trans>
          </LinkButton>
        </>
      }
    >
      <ArrivalRings />
      <div className="flex flex-col gap-5">
        <TextArea
          label={t`Share link`}
          readOnly
          rows={2}
          value={link}
          className="[&_textarea]:min-h-0 [&_textarea]:resize-none [&_textarea]:break-all"
          onFocus={({ target }) => target.select()}
          hint={key && t`Nobody can restore this key. Keep the link.`}
        />
        <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
          {!isPhone && <QrCode text={link} label={t`QR code of the share link`} />}
          <div className="flex min-w-48 grow flex-col gap-3">
            {isPhone && canShareNatively() && (
              <Button icon={<Share2 />} onClick={() => shareNatively(link, t`Files for you`)}>
                <Trans>Share…</Trans>
              </Button>
            )}
            <CopyLink link={link} isMain={!(isPhone && canShareNatively())} />
            {!isPhone && (
              <p className="text-sm text-ink-soft">
                <Trans>Scan the code to open the link on a phone.</Trans>
              </p>
            )}
          </div>
        </div>
        <hr />
        {!key && sent.transferId && <PickupCodeControl transferId={sent.transferId} />}
        {key && <EncryptedMailNote link={link} keyText={key} recipients={recipients} />}
        <ResendEmail transferId={sent.transferId} recipients={recipients} />
      </div>
    </Dialog>
  );
}

type EncryptedMailNoteProps = { link: string; keyText: string; recipients: string[] };

function EncryptedMailNote({ recipients, ...key }: EncryptedMailNoteProps) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-ink-soft">
        {recipients.length > 0 ? (
          <Trans>
            Your recipients get an email without the key. Send them the key or the whole link yourself.
          </Trans>
        ) : (
          <Trans>Emails from here have no key. Send the key or the whole link yourself.</Trans>
        )}
      </p>
      <KeyActions recipients={recipients} {...key} />
    </div>
  );
}

function CopyLink({ link, isMain }: { link: string; isMain: boolean }) {
  return (
    <CopyButton
      text={link}
      label={t`Copy Link`}
      variant={isMain ? 'primary' : 'secondary'}
      data-initial-focus
      onCopied={() =>
        toast({ title: t`Link copied!`, description: t`Share link has been copied to clipboard.` })
      }
      onFailed={() =>
        toast({
          title: t`The link could not be copied`,
          description: t`Your browser blocked it. Please select the link and copy it manually.`,
          variant: 'destructive',
        })
      }
    />
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
        title: recipients.length > 0 ? t`Email resent!` : t`Email sent!`,
        description: recipientEmails.join(', '),
      }),
      onSuccess: (_sent, recipientEmails) => {
        setRecipients(recipientEmails);
        setEntering(false);
      },
      failure: t`Failed to resend email`,
    },
  );
  const send = (recipientEmails: string[]) => {
    if (!transferId) {
      toast({ title: t`Transfer information not available`, variant: 'destructive' });
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
          label={t`Recipient e-mails`}
          hint={t`Separate addresses with commas.`}
          max={RECIPIENTS_MAX}
          autoFocus
          value={text}
          onChange={setText}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="sm" isBusy={isPending} disabled={emails.length === 0} icon={<Send />}>
            <Trans>Send Email</Trans>
          </Button>
          <Button variant="ghost" size="sm" onClick={() => setEntering(false)}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </form>
    );
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="min-w-40 grow basis-0 text-sm wrap-anywhere text-ink-soft">
        {recipients.length > 0 ? t`Sent to ${recipients.join(', ')}` : t`Not sent to anyone yet`}
      </p>
      <Button
        variant="secondary"
        size="sm"
        icon={<Send />}
        isBusy={isPending}
        onClick={() => (recipients.length > 0 ? send(recipients) : setEntering(true))}
      >
        {recipients.length > 0 ? t`Resend Email` : t`Send by email`}
      </Button>
    </div>
  );
}
