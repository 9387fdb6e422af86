import { type FormEvent, useRef, useState } from 'react';
import { errorDetail, refusalText } from '../../../client/api-error.ts';
import { verifyInvitationCode } from '../../../contracts/transfers/invitations.ts';
import { call } from '../../api/call.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CodeField } from '../../components/code-field.tsx';
import { CoolDownButton } from '../../components/cool-down-button.tsx';
import { toast } from '../../components/toast.ts';
import { CODE_LENGTH } from '../../lib/code.ts';
import { useCodeRequest } from './use-code-request.ts';

type VisitorCodeFormProps = {
  token: string;
  /** Where the code went. */
  email: string;
  /** Says what a proved address is good for. */
  welcome: string;
  /** With the address as the server knows it. */
  onVerified: (email: string) => void;
  onRefused: (error: unknown) => void;
};

/** Six digits, their submit, and a new code; a wrong one is cleared away (specification section 4). */
export function VisitorCodeForm({ token, email, welcome, onVerified, onRefused }: VisitorCodeFormProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, startAfter } = useCoolDown();
  const request = useCodeRequest({ token, onRefused });
  const field = useRef<HTMLInputElement>(null);
  const refuse = (reason: string) => {
    setError(reason);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (code.length !== CODE_LENGTH) return refuse('Please enter the 6-digit code');
    setBusy(true);
    try {
      const proved = await call(verifyInvitationCode, { params: { token }, body: { email, code } });
      toast({ title: 'Email verified!', description: welcome });
      onVerified(proved.email);
    } catch (failure) {
      setBusy(false);
      setCode('');
      startAfter(failure);
      toast({ title: 'Error', description: refusalText(failure), variant: 'destructive' });
      refuse(errorDetail(failure));
      onRefused(failure);
    }
  };
  return (
    <form noValidate onSubmit={submit} className="flex max-w-[26rem] flex-col gap-5">
      <CodeField
        ref={field}
        label="Verification code"
        hint="The code expires in 15 minutes."
        value={code}
        error={error}
        onChange={(next) => {
          setCode(next);
          setError(undefined);
        }}
      />
      <div className="flex flex-wrap gap-3 max-sm:flex-col">
        <CoolDownButton
          type="submit"
          size="lg"
          isBusy={isBusy}
          secondsLeft={secondsLeft}
          waitingLabel="Try again"
        >
          Verify Email
        </CoolDownButton>
        <CoolDownButton
          variant="ghost"
          size="lg"
          isBusy={request.isBusy}
          secondsLeft={request.secondsLeft}
          waitingLabel="Resend Code"
          onClick={() => void request.ask(email)}
        >
          Resend Code
        </CoolDownButton>
      </div>
    </form>
  );
}
