import { useState } from 'react';
import { sendVerificationCode } from '../../../contracts/accounts.ts';
import { ApiError, errorDetail } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toast.ts';
import { formatCountdown } from './code.ts';
import { useCoolDown } from './use-cool-down.ts';

/** A code a minute is what the server sends; a refusal says itself how long to wait. */
const PAUSE_SECONDS = 60;

/** Asks for a new code, then counts down to when the next one may be asked for. */
export function ResendCodeButton() {
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, start } = useCoolDown();
  const resend = async () => {
    setBusy(true);
    try {
      await call(sendVerificationCode);
      start(PAUSE_SECONDS);
      toast({ title: 'Code sent!', description: 'A new verification code has been sent to your email.' });
    } catch (error) {
      if (error instanceof ApiError && error.retryAfterSeconds) start(error.retryAfterSeconds);
      toast({
        title: 'Failed to resend code',
        description: errorDetail(error),
        variant: 'destructive',
      });
    } finally {
      setBusy(false);
    }
  };
  // Not `disabled` while it counts: the keyboard focus would fall off the page.
  const isWaiting = secondsLeft > 0;
  return (
    <Button
      variant="ghost"
      isBusy={isBusy}
      aria-disabled={isWaiting || isBusy || undefined}
      className="tabular aria-disabled:text-ink-faint"
      onClick={isWaiting ? undefined : resend}
    >
      {isWaiting ? `Resend Code in ${formatCountdown(secondsLeft)}` : 'Resend Code'}
    </Button>
  );
}
