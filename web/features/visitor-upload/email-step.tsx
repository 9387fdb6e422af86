import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { bindField, useContractForm } from '../../api/forms/contract-form.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { useCodeRequest } from './code-step.tsx';
import { InvitationFacts, InvitationHead } from './invitation-summary.tsx';
import { Step, type StepProps } from './step.tsx';

/** Step 1: asks for the address that gets the code. */
export function EmailStep({ details, visit, ...rest }: StepProps<'email'>) {
  usePageTitle(details.title);
  return (
    <Stage
      isWellForLarge
      isBodyFirst
      head={<InvitationHead details={details} />}
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
        <Step number={1} title={t`Your email address`}>
          <p className="mt-2 max-w-[34rem] text-ink-soft">
            <Trans>We'll email you a code, so that {details.senderName} knows who sent the files.</Trans>
          </p>
          <EmailForm key={visit.email} visit={visit} {...rest} />
        </Step>
      }
    />
  );
}

type EmailFormProps = Pick<StepProps<'email'>, 'token' | 'visit' | 'goTo' | 'onRefused'>;

function EmailForm({ token, visit, goTo, onRefused }: EmailFormProps) {
  const form = useContractForm({
    check: ({ email }) => (email.includes('@') ? {} : { email: t`Please enter a valid email address` }),
    defaultValues: { email: visit.email },
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
        // On landing, a phone's keyboard would hide who is asking.
        autoFocus={!visit.isFirst || window.matchMedia('(hover: hover)').matches}
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
