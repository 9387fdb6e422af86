import { Mail } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { Stage } from '../../components/stage.tsx';
import { Surface } from '../../components/surface.tsx';
import { TextField } from '../../components/text-field.tsx';
import { StillWell } from '../../components/well.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { Delivered } from './delivered.tsx';
import { InvitationFacts } from './invitation-facts.tsx';
import { InvitationHead } from './invitation-head.tsx';
import { Step } from './step.tsx';
import { useCodeRequest } from './use-code-request.ts';
import type { StepProps } from './visit.ts';

/** Step 1: the address to which a code goes. After a delivery it stands below what arrived. */
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
            title={delivery ? 'Send something more' : 'Your email address'}
            // What has arrived is heard first.
            isFirst={visit.isFirst || delivery !== undefined}
          >
            <p className="mt-2 max-w-[34rem] text-ink-soft">
              We mail you a code, so that {details.senderName} knows who the files come from.
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
  const [email, setEmail] = useState(knownEmail);
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  // Tries are counted by address: another one need not wait for this one.
  const [lastEmail, setLastEmail] = useState('');
  const { ask, isBusy, secondsLeft } = useCodeRequest({ token, onRefused });
  const focus = () => form.current?.querySelector('input')?.focus();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const address = email.trim();
    if (isBusy) return;
    if (!address.includes('@')) {
      setError('Please enter a valid email address');
      return focus();
    }
    setLastEmail(address);
    if (await ask(address)) goTo({ step: 'code', email: address });
    else focus();
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="mt-6 flex max-w-[26rem] flex-col gap-5">
      <TextField
        label="Email address"
        type="email"
        name="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        value={email}
        error={error}
        onChange={({ target }) => {
          setEmail(target.value);
          setError(undefined);
        }}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        className="self-start max-sm:w-full"
        isBusy={isBusy}
        secondsLeft={email.trim() === lastEmail ? secondsLeft : 0}
        waitingLabel="Try again"
      >
        Send Verification Code
      </CoolDownButton>
    </form>
  );
}
