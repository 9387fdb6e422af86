import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import {
  sendInvitationCode,
  verifyInvitationCode,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { useAction } from '../../api/use-action.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { Button } from '../../components/actions/button.tsx';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { CodeField } from '../../components/form/code-field.tsx';
import { ToldError } from '../../components/form/field.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { CODE_LENGTH } from '../../lib/values/code.ts';
import { InvitationFacts, InvitationHead } from './invitation-summary.tsx';
import { Step, type StepProps } from './step.tsx';

/** Step 2: asks for the emailed code. */
export function CodeStep({ token, details, visit, goTo, onRefused }: StepProps<'code'>) {
  usePageTitle(details.title);
  const { email } = visit;
  return (
    <Stage
      isWellForLarge
      isBodyFirst
      head={<InvitationHead details={details} isCompact />}
      well={
        <StillWell>
          <KeyRound aria-hidden="true" strokeWidth={1.25} />
        </StillWell>
      }
      facts={
        <Surface>
          <InvitationFacts details={details} />
        </Surface>
      }
      body={
        <Step number={2} title={t`Enter the code`}>
          <p className="mt-2 mb-6 max-w-[34rem] text-ink-soft">
            <Trans>
              We sent a 6-digit code to{' '}
              <strong className="font-medium wrap-anywhere text-ink">{email}</strong>.{' '}
              <button type="button" className="link" onClick={() => goTo({ step: 'email', email })}>
                Use another address
              </button>
            </Trans>
          </p>
          <VisitorCodeForm
            token={token}
            email={email}
            welcome={t`You can now upload your files`}
            onVerified={(proved) => goTo({ step: 'files', email: proved })}
            onRefused={onRefused}
          />
        </Step>
      }
    />
  );
}

type VisitorCodeFormProps = {
  token: string;
  /** The address the code was sent to. */
  email: string;
  /** What the visitor can do now; shown in the toast. */
  welcome: string;
  /** Called with the address as the server normalized it. */
  onVerified: (email: string) => void;
  onRefused: (error: unknown) => void;
};

/** Is submitted with the last digit. Clears a wrong code. */
function VisitorCodeForm({ token, email, welcome, onVerified, onRefused }: VisitorCodeFormProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<ReactNode>();
  const { secondsLeft, startAfter } = useCoolDown();
  const request = useCodeRequest({ token, onRefused });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const showMistake = (reason: ReactNode) => {
    setError(reason);
    field.current?.focus();
  };
  const { mutate, isPending } = useAction(verifyInvitationCode, {
    success: { title: t`Email verified!`, description: welcome },
    onSuccess: (proved) => onVerified(proved.email),
    onError: (failure) => {
      // Without an answer about it, the code may be right.
      if (failure instanceof ApiError && failure.status < 429) setCode('');
      startAfter(failure);
      showMistake(<ToldError>{errorDetail(failure)}</ToldError>);
      onRefused(failure);
    },
  });
  const verify = (typed: string) => {
    if (!isPending && secondsLeft === 0) mutate({ params: { token }, body: { email, code: typed } });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length !== CODE_LENGTH) return showMistake(t`Please enter the 6-digit code`);
    verify(code);
  };
  return (
    <form noValidate onSubmit={submit} className="flex max-w-[26rem] flex-col gap-5">
      <CodeField
        ref={field}
        label={t`Verification code`}
        hint={t`The code expires in 15 minutes.`}
        value={code}
        error={error}
        onChange={(next) => {
          setCode(next);
          setError(undefined);
          if (next.length === CODE_LENGTH && next !== code) verify(next);
        }}
      />
      <div className="flex flex-wrap gap-3 max-sm:flex-col">
        <CoolDownButton
          type="submit"
          size="lg"
          isBusy={isPending}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
        >
          <Trans>Verify Email</Trans>
        </CoolDownButton>
        <CoolDownButton
          variant="ghost"
          size="lg"
          isBusy={request.isBusy}
          secondsLeft={request.secondsLeft}
          waitingLabel={t`Resend Code`}
          onClick={() => void request.sendCode(email)}
        >
          <Trans>Resend Code</Trans>
        </CoolDownButton>
      </div>
    </form>
  );
}

type ProveAgainProps = {
  token: string;
  /** The address the upload was started with; only it can resume the upload. */
  email: string;
  onProved: () => void;
  onRefused: (error: unknown) => void;
};

/** Verifies the address again when the verification expired during an upload, which then resumes. */
export function ProveAgain({ token, email, onProved, onRefused }: ProveAgainProps) {
  const [isSent, setSent] = useState(false);
  const { sendCode, isBusy } = useCodeRequest({ token, onRefused });
  const address = <strong className="font-medium wrap-anywhere text-ink">{email}</strong>;
  if (!isSent) {
    return (
      <>
        <p className="max-w-[34rem] text-ink-soft">
          <Trans>
            Nothing is lost. Please verify {address} again. Then the upload continues where it stopped.
          </Trans>
        </p>
        <Button className="mt-5" isBusy={isBusy} onClick={async () => setSent(await sendCode(email))}>
          <Trans>Send Verification Code</Trans>
        </Button>
      </>
    );
  }
  return (
    <>
      <p className="mb-5 max-w-[34rem] text-ink-soft">
        <Trans>We sent a code to {address}.</Trans>
      </p>
      <VisitorCodeForm
        token={token}
        email={email}
        welcome={t`Your upload continues`}
        onVerified={onProved}
        onRefused={onRefused}
      />
    </>
  );
}

/** The server sends one code per minute; a refusal says how long to wait. */
const PAUSE_SECONDS = 60;

type CodeRequest = { token: string; onRefused: (error: unknown) => void };

/** Requests a code by email and reports the result. */
export function useCodeRequest({ token, onRefused }: CodeRequest) {
  const { secondsLeft, start, startAfter } = useCoolDown();
  const { run, isPending } = useAction(sendInvitationCode, {
    onSuccess: () => start(PAUSE_SECONDS),
    success: { title: t`Code sent!`, description: t`Please check your email for the verification code` },
    onError: (error) => {
      startAfter(error);
      onRefused(error);
    },
  });
  /** Returns whether the code was sent. */
  const sendCode = (email: string) => run({ params: { token }, body: { email } });
  return { sendCode, isBusy: isPending, secondsLeft };
}
