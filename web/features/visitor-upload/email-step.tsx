import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Mail } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { bindField, useContractForm } from '../../api/contract-form.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { useCodeRequest } from './code-step.tsx';
import { InvitationFacts, InvitationHead } from './invitation-summary.tsx';
import { type Delivery, Step, type StepProps } from './step.tsx';

/** Step 1: asks for the address that gets the code. Shows the last delivery above. */
export function EmailStep({ details, visit, ...rest }: StepProps<'email'>) {
  usePageTitle(details.title);
  const { delivery } = visit;
  return (
    <Stage
      isWellForLarge
      isBodyFirst
      head={<InvitationHead details={details} isCompact={delivery !== undefined} />}
      well={
        <StillWell>
          <Mail aria-hidden="true" strokeWidth={1.25} />
        </StillWell>
      }
      facts={
        <Surface>
          <InvitationFacts details={details} />
        </Surface>
      }
      body={
        <>
          {delivery && <Delivered delivery={delivery} senderName={details.senderName} />}
          <Step
            number={1}
            title={delivery ? t`Send more files` : t`Your email address`}
            // The delivery's heading is focused instead.
            isFirst={visit.isFirst || delivery !== undefined}
          >
            <p className="mt-2 max-w-[34rem] text-ink-soft">
              <Trans>We'll email you a code, so that {details.senderName} knows who sent the files.</Trans>
            </p>
            <EmailForm key={visit.email} email={visit.email} {...rest} />
          </Step>
        </>
      }
    />
  );
}

type EmailFormProps = Pick<StepProps<'email'>, 'token' | 'goTo' | 'onRefused'> & { email: string };

function EmailForm({ token, email: knownEmail, goTo, onRefused }: EmailFormProps) {
  const form = useContractForm({
    check: ({ email }) => (email.includes('@') ? {} : { email: t`Please enter a valid email address` }),
    defaultValues: { email: knownEmail },
  });
  // The server limits attempts per address, so another address need not wait.
  const [lastEmail, setLastEmail] = useState('');
  const { sendCode, isBusy, secondsLeft } = useCodeRequest({ token, onRefused });
  const submit = form.handleSubmit(async (values) => {
    const email = values.email.trim();
    setLastEmail(email);
    if (await sendCode(email)) goTo({ step: 'code', email });
    else form.setFocus('email');
  });
  return (
    <form noValidate onSubmit={submit} className="mt-6 flex max-w-[26rem] flex-col gap-5">
      <TextField
        label={t`Email address`}
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        {...bindField(form, 'email')}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        className="self-start max-sm:w-full"
        isBusy={isBusy}
        secondsLeft={form.watch('email').trim() === lastEmail ? secondsLeft : 0}
        waitingLabel={t`Try again`}
      >
        <Trans>Send Verification Code</Trans>
      </CoolDownButton>
    </form>
  );
}

type DeliveredProps = { delivery: Delivery; senderName: string };

/** Stays on the page, unlike the toast. */
function Delivered({ delivery: { fileCount, totalBytes, email }, senderName }: DeliveredProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Surface
      as="section"
      aria-labelledby="delivered"
      padding="lg"
      className="relative isolate mb-12 overflow-hidden"
      data-testid="delivered"
    >
      <Ripples
        motion="arrive"
        tone="accent"
        count={7}
        className="absolute top-1/2 right-0 -z-10 size-[34rem] translate-x-1/2 -translate-y-1/2 opacity-40"
      />
      <span className="grid size-12 place-items-center rounded-full bg-accent text-on-accent">
        <Check aria-hidden="true" strokeWidth={2.5} className="size-6" />
      </span>
      <h2 id="delivered" ref={heading} tabIndex={-1} className="mt-5 text-2xl outline-none">
        <Trans>Delivered to {senderName}</Trans>
      </h2>
      <p className="tabular mt-2 text-lg">
        {plural(fileCount, { one: '# file', other: '# files' })}, {formatSize(totalBytes)}
      </p>
      <p className="mt-3 max-w-[34rem] text-ink-soft">
        <Trans>
          We'll email a receipt with the checksums to <span className="wrap-anywhere text-ink">{email}</span>.
          You can close this page or send more files.
        </Trans>
      </p>
    </Surface>
  );
}
