import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, CircleAlert, Clock, type LucideIcon, RefreshCw, Send } from 'lucide-react';
import { useState } from 'react';
import type { Recipient, TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { FieldError } from '../../../components/form/field.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { useIsExpired } from '../transfer-badges.tsx';
import { refreshTransfer } from '../transfer-queries.ts';
import { useResend } from './resend-dialog.tsx';

/** While the files are arriving, none of the recipients has been mailed yet. */
export function Recipients({ transfer }: { transfer: TransferDetail }) {
  const isWaiting = transfer.status === 'arriving' && transfer.recipientEmails.length > 0;
  return isWaiting ? <WaitingRecipients transfer={transfer} /> : <MailedRecipients transfer={transfer} />;
}

function WaitingRecipients({ transfer: { recipientEmails } }: { transfer: TransferDetail }) {
  return (
    <section className="min-w-0">
      <h2 className="mb-3 text-xl">
        <Trans>Recipients</Trans>
        {recipientEmails.length > 1 && <span className="ml-2 text-ink-faint">{recipientEmails.length}</span>}
      </h2>
      <p className="mb-3 text-sm text-ink-soft">
        <Trans>They get the link by email once everything has arrived.</Trans>
      </p>
      <ul className="border-b border-line">
        {recipientEmails.map((email) => (
          <li key={email} className="border-t border-line py-3 wrap-anywhere">
            {email}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The recipients with the state of their emails and links. */
function MailedRecipients({ transfer }: { transfer: TransferDetail }) {
  const { id, recipients } = transfer;
  const sharedReason = findSharedReason(recipients);
  const isExpired = useIsExpired(transfer);
  const { send, isSending, refusal, secondsLeft } = useResend(id);
  const [current, setCurrent] = useState<string>();
  const resend = (email: string) => {
    setCurrent(email);
    void send([email]);
  };
  return (
    <section className="@container min-w-0">
      <div className="mb-3 flex items-center justify-between gap-4">
        <h2 className="text-xl">
          <Trans>Recipients</Trans>
          {recipients.length > 1 && <span className="ml-2 text-ink-faint">{recipients.length}</span>}
        </h2>
        <Refresh id={id} />
      </div>
      {refusal && (
        <div role="alert" className="mb-3">
          <FieldError id="resend-refusal">{refusal}</FieldError>
        </div>
      )}
      {sharedReason && <p className="mb-3 text-sm text-ink-soft">{sharedReason}</p>}
      {recipients.length === 0 ? (
        <p className="border-t border-line pt-4 text-ink-faint">
          <Trans>This link was not emailed to anyone.</Trans>
        </p>
      ) : (
        <table className="w-full table-fixed border-t border-line text-left @max-xl:block">
          <thead className="text-sm text-ink-faint @max-xl:sr-only">
            <tr>
              <Head name={t`Address`} />
              <Head name={t`Mail`} className="w-40" />
              <Head name={t`Opened`} className="w-28" />
              <Head name={t`Downloaded`} className="w-28" />
              <th scope="col" className="w-9">
                <span className="sr-only">
                  <Trans>Send again</Trans>
                </span>
              </th>
            </tr>
          </thead>
          <tbody className="@max-xl:block">
            {recipients.map((recipient) => (
              <RecipientRow
                key={recipient.id}
                recipient={recipient}
                hasReason={!sharedReason}
                isSending={isSending && current === recipient.email}
                isDisabled={isExpired || secondsLeft > 0}
                onResend={() => resend(recipient.email)}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Why none of the mails arrived, if all have the same reason: shown once instead of in each row. */
function findSharedReason(recipients: Recipient[]): string | undefined {
  const [first, ...others] = recipients.map(({ mail }) => mail?.reason);
  return first && others.length > 0 && others.every((reason) => reason === first) ? first : undefined;
}

function Head({ name, className = '' }: { name: string; className?: string }) {
  return (
    <th scope="col" className={`py-2 pr-4 font-normal ${className}`}>
      {name}
    </th>
  );
}

type RecipientRowProps = {
  recipient: Recipient;
  /** Whether to show why the mail is not there yet. */
  hasReason: boolean;
  isSending: boolean;
  isDisabled: boolean;
  onResend: () => void;
};

function RecipientRow({ recipient, hasReason, isSending, isDisabled, onResend }: RecipientRowProps) {
  const { email, mail, openedAt, downloadedAt } = recipient;
  return (
    <tr className="relative border-t border-line align-top @max-xl:first:border-t-0 @max-xl:flex @max-xl:flex-wrap @max-xl:gap-x-5 @max-xl:gap-y-1 @max-xl:py-3 @max-xl:pr-12">
      <th scope="row" className="min-w-0 font-normal wrap-anywhere @max-xl:basis-full @xl:py-4 @xl:pr-4">
        {email}
      </th>
      <td className={CELL}>
        <MailState mail={mail && { ...mail, reason: hasReason ? mail.reason : null }} />
      </td>
      <Moment label={t`Opened`} at={openedAt} />
      <Moment label={t`Downloaded`} at={downloadedAt} />
      <td className="@max-xl:absolute @max-xl:top-2 @max-xl:right-0 @xl:py-2.5">
        <IconButton
          label={t`Send again to ${email}`}
          icon={<Send />}
          size="sm"
          disabled={isDisabled}
          isBusy={isSending}
          onClick={onResend}
        />
      </td>
    </tr>
  );
}

const CELL = 'tabular min-w-0 text-sm @xl:py-4 @xl:pr-4';

/** How long ago. Phones have no column heads, so the label is repeated. */
function Moment({ label, at }: { label: string; at: string | null }) {
  return (
    <td className={classNames(CELL, !at && '@max-xl:hidden')}>
      {at ? <Ago label={label} at={at} /> : <NotYet />}
    </td>
  );
}

function Ago({ label, at }: { label: string; at: string }) {
  const ago = useRelativeTime(at);
  return (
    <span className="text-ink-soft">
      <span className="@xl:hidden">{label} </span>
      <time dateTime={at} title={formatDateTime(at)}>
        {ago}
      </time>
    </span>
  );
}

function NotYet() {
  return (
    <span className="text-ink-faint">
      <span aria-hidden="true">–</span>
      <span className="sr-only">
        <Trans>Not yet</Trans>
      </span>
    </span>
  );
}

/** Pages don't refetch by themselves, hence the button. */
function Refresh({ id }: { id: string }) {
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle');
  const refresh = async () => {
    setState('busy');
    await refreshTransfer(id);
    setState('done');
  };
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        icon={<RefreshCw />}
        isBusy={state === 'busy'}
        onClick={refresh}
        className="-mr-3.5"
      >
        <Trans>Refresh</Trans>
      </Button>
      <VisuallyHidden isAnnounced>{state === 'done' ? t`Up to date` : ''}</VisuallyHidden>
    </>
  );
}

type Mail = NonNullable<Recipient['mail']>;

const STATES: Record<Mail['state'], { label: string; icon: LucideIcon; tone: string }> = {
  queued: { label: t`Queued`, icon: Clock, tone: 'text-ink-soft' },
  sent: { label: t`Sent`, icon: Check, tone: 'text-accent-ink' },
  failed: { label: t`Failed`, icon: CircleAlert, tone: 'text-danger-ink' },
};

/** The state of the last email to a recipient. */
function MailState({ mail }: { mail: Recipient['mail'] }) {
  return mail ? (
    <State mail={mail} />
  ) : (
    <span className="text-ink-faint">
      <Trans>No mail</Trans>
    </span>
  );
}

function State({ mail: { state, reason, at } }: { mail: Mail }) {
  const { label, icon: Icon, tone } = STATES[state];
  const ago = useRelativeTime(at);
  return (
    <span className="flex gap-1.5">
      <Icon aria-hidden="true" className={classNames('mt-0.5 size-4 shrink-0', tone)} />
      <span className="min-w-0">
        <span className={classNames('font-medium', tone)}>{label}</span>{' '}
        <time dateTime={at} title={formatDateTime(at)} className="tabular text-ink-soft @xl:block">
          {ago}
        </time>
        {reason && <span className="block text-xs wrap-anywhere text-ink-soft">{reason}</span>}
      </span>
    </span>
  );
}
