import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MESSAGE_MAX } from '../../../contracts/plans/limits.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { Button } from '../../components/actions/button.tsx';
import { TextArea } from '../../components/form/text-area.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { classNames } from '../../lib/class-names.ts';
import type { UploadTransport } from '../../uploading/engine/upload-transport.ts';
import { FilesSide } from '../../uploading/files-side.tsx';
import { percentOf, resumeLabel } from '../../uploading/upload-words.ts';
import { ProveAgain } from './code-step.tsx';
import { InvitationFacts, InvitationHead } from './invitation-summary.tsx';
import { describeLeft } from './invitation-words.ts';
import { Step, type StepProps } from './step.tsx';
import { useDelivery, type VisitorUpload } from './use-delivery.ts';

type FilesStepProps = StepProps<'files'> & {
  transport: UploadTransport;
  /** Of an encrypted invitation. */
  inboxKey: string | undefined;
};

/** Step 3: selects and sends files. */
export function FilesStep({ transport, inboxKey, ...step }: FilesStepProps) {
  const { token, details, visit, goTo, onRefused } = step;
  const { email } = visit;
  const delivery = useDelivery({
    token,
    details,
    transport,
    email,
    inboxKey,
    onDelivered: (delivery) => goTo({ step: 'delivered', email, delivery }),
    onRefused,
  });
  const { store, state } = delivery;
  const { isActive } = state;
  usePageTitle(isActive ? `${percentOf(state)}% · ${details.title}` : details.title);
  const proof = {
    title: t`Please verify your address again`,
    form: <ProveAgain {...{ token, email, onRefused }} onProved={store.resume} />,
  };
  return (
    <Stage
      isBodyFirst
      head={<InvitationHead details={details} isCompact />}
      body={
        <Step number={3} title={t`Your files`} isFocused={!visit.isFirst}>
          <SendingAs
            email={email}
            onChange={isActive ? undefined : () => goTo({ step: 'email', email: '' })}
          />
          {state.fileCount === 0 && !describeLeft(details) && (
            <p className="mt-3 max-w-[34rem] font-medium">
              <Trans>The limit of this invitation is reached. It accepts no more files.</Trans>
            </p>
          )}
          <div className="mt-6 flex flex-col gap-8">
            <FilesSide
              store={store}
              state={state}
              maxBytes={details.maxFileSize}
              anewLabel={t`Send from the beginning`}
              onStartAnew={delivery.startAnew}
              isBoundToPage
              proof={proof}
            />
          </div>
        </Step>
      }
      facts={
        <Surface className="lg:mt-10">
          <InvitationFacts details={details} />
          <DeliveryForm delivery={delivery} senderName={details.senderName} />
        </Surface>
      }
    />
  );
}

function SendingAs({ email, onChange }: { email: string; onChange: (() => void) | undefined }) {
  return (
    <p className="mt-2 flex flex-wrap gap-x-4 text-ink-soft">
      <span>
        <Trans>
          Sending as <strong className="font-medium wrap-anywhere text-ink">{email}</strong>
        </Trans>
      </span>
      {onChange && (
        <button type="button" className="link" onClick={onChange}>
          <Trans>Not you?</Trans>
        </button>
      )}
    </p>
  );
}

type DeliveryFormProps = { delivery: VisitorUpload; senderName: string };

/** The message to the sender, and the upload button. */
function DeliveryForm({ delivery, senderName }: DeliveryFormProps) {
  const { store, state, message, setMessage } = delivery;
  const { isActive } = state;
  const count = state.fileCount;
  const isWaiting = state.phase === 'paused' || state.trouble?.kind === 'sign-in';
  return (
    <form
      noValidate
      aria-label={t`Delivery`}
      className="mt-7 border-t border-line pt-6"
      onSubmit={(event) => {
        event.preventDefault();
        store.submit();
      }}
    >
      <TextArea
        label={t`Message`}
        hint={t`Sent to ${senderName} with the files.`}
        isOptional
        maxLength={MESSAGE_MAX}
        value={message}
        disabled={isActive}
        className="[&_textarea]:scroll-mb-36"
        onChange={({ target }) => setMessage(target.value)}
      />
      {/* The sticky button must not cover the focused field (WCAG 2.4.11). */}
      <div
        // Toasts keep clear of it.
        data-low-edge="page"
        className={classNames(
          '-mx-5 mt-6 -mb-5 rounded-b-lg border-t border-line bg-surface p-4 sm:-mx-6 sm:-mb-6',
          count > 0 && 'sticky bottom-0 pb-[max(1rem,env(safe-area-inset-bottom))]',
        )}
      >
        <Button
          type="submit"
          size="lg"
          className="w-full"
          isBusy={isActive && !isWaiting}
          disabled={isWaiting}
          busyLabel={t`Uploading…`}
        >
          {isWaiting
            ? t`Paused`
            : state.phase === 'failed'
              ? t`Try again`
              : state.resuming
                ? resumeLabel(state)
                : t`Upload ${formatCount(count)} File(s)`}
        </Button>
      </div>
    </form>
  );
}
