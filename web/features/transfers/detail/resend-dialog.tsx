import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../../client/api-error.ts';
import { RECIPIENTS_MAX } from '../../../../contracts/plans/limits.ts';
import { getTransfer, resendTransfer, type Transfer } from '../../../../contracts/transfers/transfers.ts';
import { uniqueEmails } from '../../../../contracts/values/fields.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { EmailsField } from '../../../components/form/emails-field.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { KeyActions } from '../../../key-ring/key-actions.tsx';
import { MissingKey } from '../../../key-ring/missing-key.tsx';
import { useWholeLink } from '../../../key-ring/readable-transfers.ts';
import { describeEmailMistakes, parseEmails } from '../../../lib/values/email-list.ts';

type ResendDialogProps = { transfer: Transfer; isOpen: boolean; onClose: () => void };

/** Emails the link again, to some of its recipients or to others. */
export function ResendDialog({ transfer, isOpen, onClose }: ResendDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title={t`Resend Email`}
      description={
        transfer.encryption
          ? t`Everyone selected here gets an email without the key. Send them the key or the whole link yourself.`
          : t`The share link is sent to everyone selected here.`
      }
    >
      <ResendForm transfer={transfer} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted while the dialog is open, so that unsent input is discarded. */
function ResendForm({ transfer, onClose }: { transfer: Transfer; onClose: () => void }) {
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
          label={recipientEmails.length > 0 ? t`Other addresses` : t`Recipient emails`}
          hint={t`Separate addresses with commas.`}
          max={RECIPIENTS_MAX}
          value={others}
          onChange={setOthers}
          error={emails.length > RECIPIENTS_MAX ? mistake : undefined}
        />
        {transfer.encryption && <KeyPart transfer={transfer} recipients={emails} />}
        {refusal && (
          <div role="alert">
            <FieldError id="resend-refusal">{refusal}</FieldError>
          </div>
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <CoolDownButton
          type="submit"
          secondsLeft={secondsLeft}
          waitingLabel={t`Send`}
          disabled={emails.length === 0 || mistake !== undefined}
          isBusy={isSending}
          busyLabel={t`Sending...`}
        >
          <Trans>Send Email</Trans>
        </CoolDownButton>
      </DialogFooter>
    </form>
  );
}

function KeyPart({ transfer, recipients }: { transfer: Transfer; recipients: string[] }) {
  const { key, link } = useWholeLink(transfer) ?? {};
  if (!key || !link) return <MissingKey transfer={transfer} className="text-sm text-ink-soft" />;
  return <KeyActions link={link} keyText={key} recipients={recipients} />;
}

type RecipientChoiceProps = {
  emails: string[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
};

function RecipientChoice({ emails, chosen, onChange }: RecipientChoiceProps) {
  const toggle = (email: string) => {
    const next = new Set(chosen);
    if (!next.delete(email)) next.add(email);
    onChange(next);
  };
  const areAllChosen = emails.every((email) => chosen.has(email));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full items-baseline justify-between text-sm font-medium">
        <Trans>Recipients</Trans>
      </legend>
      <div className="max-h-64 overflow-y-auto rounded-md border border-edge">
        {emails.length > 1 && (
          <Checkbox
            label={t`All ${emails.length} recipients`}
            checked={areAllChosen}
            onChange={() => onChange(new Set(areAllChosen ? [] : emails))}
            className="sticky top-0 z-10 border-b border-line bg-raised px-4 py-2.5"
          />
        )}
        <ul className="flex flex-col gap-0.5 py-1.5">
          {emails.map((email) => (
            <li key={email}>
              <Checkbox
                label={<span className="wrap-anywhere">{email}</span>}
                checked={chosen.has(email)}
                onChange={() => toggle(email)}
                className="px-4 py-1"
              />
            </li>
          ))}
        </ul>
      </div>
    </fieldset>
  );
}

/** Emails the link again and reports the result. */
export function useResend(transferId: string) {
  const { secondsLeft, startAfter } = useCoolDown();
  const { run, isPending, error } = useAction(
    (recipientEmails: string[]) =>
      call(resendTransfer, { params: { id: transferId }, body: { recipientEmails } }),
    {
      refreshes: [getTransfer],
      success: ({ sent }, emails) => ({
        title: t`Email sent!`,
        description: plural(sent, {
          one: `The link is on its way to ${emails[0]!}.`,
          other: 'The link is on its way to # recipients.',
        }),
      }),
      failure: () => ({ title: t`Failed to send email`, description: t`Please try again later.` }),
      onError: (failure) => {
        // Wait only for the rate limit: within the day's emails fewer addresses may still pass.
        if (failure instanceof ApiError && failure.code === 'too_many_requests') startAfter(failure);
      },
    },
  );
  const refusal = error instanceof ApiError ? error.detail : undefined;
  return { send: run, isSending: isPending, refusal, secondsLeft };
}
