import { useState } from 'react';
import { refusalText } from '../../../client/api-error.ts';
import { sendInvitationCode } from '../../../contracts/transfers/invitations.ts';
import { call } from '../../api/call.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { toast } from '../../components/toast.ts';

/** A code a minute is what the server sends; a refusal says itself how long to wait. */
const PAUSE_SECONDS = 60;

type Asking = { token: string; onRefused: (error: unknown) => void };

/** Has a code mailed, and says what became of that (specification section 8, "Visitor upload"). */
export function useCodeRequest({ token, onRefused }: Asking) {
  const [isBusy, setBusy] = useState(false);
  const { secondsLeft, start, startAfter } = useCoolDown();
  /** Whether it is on its way. */
  const ask = async (email: string): Promise<boolean> => {
    setBusy(true);
    try {
      await call(sendInvitationCode, { params: { token }, body: { email } });
      start(PAUSE_SECONDS);
      toast({ title: 'Code sent!', description: 'Please check your email for the verification code' });
      return true;
    } catch (error) {
      startAfter(error);
      toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
      onRefused(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { ask, isBusy, secondsLeft };
}
