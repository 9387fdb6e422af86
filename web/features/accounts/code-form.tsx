import { type FormEvent, useRef, useState } from 'react';
import { Link } from 'react-router';
import { ApiError, errorDetail, refusalText } from '../../../client/api-error.ts';
import { verifyEmail } from '../../../contracts/accounts/accounts.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { call } from '../../api/call.ts';
import { refreshSession, setSessionUser } from '../../api/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { toast } from '../../components/feedback/toast.ts';
import { CodeField } from '../../components/form/code-field.tsx';
import { CODE_LENGTH } from '../../lib/values/code.ts';
import { forgetLinkedCode } from './use-linked-code.ts';

type CodeFormProps = {
  /** From the link of the code mail; empty without one. */
  linkedCode: string;
  onVerified: () => void;
};

/**
 * Six digits and their submit button; a right code signs a pending registration in. A code from a link is filled in
 * and waits for a click, because link scanners open links too.
 */
export function CodeForm({ linkedCode, onVerified }: CodeFormProps) {
  const [code, setCode] = useState(linkedCode);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const field = useRef<HTMLInputElement>(null);
  const changeCode = (next: string) => {
    setCode(next);
    setError(undefined);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const user = await call(verifyEmail, { body: { code } });
      forgetLinkedCode();
      onVerified();
      setSessionUser(user);
      toast({
        title: 'Email verified!',
        description: 'Your email has been successfully verified. Redirecting to dashboard...',
      });
    } catch (failure) {
      setBusy(false);
      startAfter(failure);
      // Another browser than the one that registered: signing in leads back here with the code.
      if (failure instanceof ApiError && failure.code === 'not_signed_in') return setNeedsSignIn(true);
      forgetLinkedCode();
      setError(errorDetail(failure));
      toast({ title: 'Verification failed', description: refusalText(failure), variant: 'destructive' });
      field.current?.focus();
      field.current?.select();
      // It was done in another tab: the page leads on by itself.
      if (failure instanceof ApiError && failure.code === 'already_verified') void refreshSession();
    }
  };
  return (
    <form noValidate onSubmit={submit} className="mt-10 flex flex-col gap-6 text-left">
      <CodeField
        ref={field}
        label="Verification code"
        hint="The code expires in 15 minutes."
        value={code}
        onChange={changeCode}
        error={error}
      />
      <CoolDownButton
        type="submit"
        size="lg"
        disabled={code.length !== CODE_LENGTH}
        autoFocus={linkedCode !== ''}
        isBusy={isBusy}
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Verify Email
      </CoolDownButton>
      {needsSignIn && (
        <p role="alert" className="text-center text-sm text-ink-soft">
          This browser isn't signed in.{' '}
          <Link to={PAGES.auth} className="link">
            Sign in
          </Link>{' '}
          to verify your email here, or open the link in the browser where you registered.
        </p>
      )}
    </form>
  );
}
