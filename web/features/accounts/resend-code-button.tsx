import { useState } from 'react';
import { refusalText } from '../../../client/api-error.ts';
import { sendVerificationCode } from '../../../contracts/accounts/accounts.ts';
import { call } from '../../api/call.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { CoolDownButton } from '../../components/actions/cool-down-button.tsx';
import { toast } from '../../components/feedback/toast.ts';

/** The server sends one code a minute; a refusal says how long to wait. */
const PAUSE_SECONDS = 60;

/** Requests a new code. Counts down to the next one from the start: a code was sent just before the page opened. */
export function ResendCodeButton({ sentAt }: { sentAt: number }) {
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, start, startAfter } = useCoolDown(sentAt + PAUSE_SECONDS * 1000);
  const resend = async () => {
    setBusy(true);
    try {
      await call(sendVerificationCode);
      start(PAUSE_SECONDS);
      toast({ title: 'Code sent!', description: 'A new verification code has been sent to your email.' });
    } catch (error) {
      startAfter(error);
      toast({
        title: 'Failed to resend code',
        description: refusalText(error),
        variant: 'destructive',
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <CoolDownButton
      variant="ghost"
      isBusy={isBusy}
      secondsLeft={secondsLeft}
      waitingLabel="Resend Code"
      onClick={resend}
    >
      Resend Code
    </CoolDownButton>
  );
}
