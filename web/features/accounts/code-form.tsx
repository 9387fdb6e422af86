import { type FormEvent, useRef, useState } from 'react';
import { verifyEmail } from '../../../contracts/accounts.ts';
import { ApiError, errorDetail, refusalText } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refreshSession, setSessionUser } from '../../api/session.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CodeField } from '../../components/code-field.tsx';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { toast } from '../../components/toast.ts';
import { CODE_LENGTH } from '../../lib/code.ts';

/** Six digits and their submit; a right code signs a pending registration in. */
export function CodeForm({ onVerified }: { onVerified: () => void }) {
  const [code, setCode] = useState('');
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
      onVerified();
      setSessionUser(user);
      toast({
        title: 'Email verified!',
        description: 'Your email has been successfully verified. Redirecting to dashboard...',
      });
    } catch (failure) {
      setBusy(false);
      startAfter(failure);
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
        isBusy={isBusy}
        secondsLeft={secondsLeft}
        waitingLabel="Try again"
      >
        Verify Email
      </CoolDownButton>
    </form>
  );
}
