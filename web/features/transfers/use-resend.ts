import { useState } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import { useCoolDown } from '../../api/use-cool-down.ts';
import { toast } from '../../components/toast.ts';
import { useResendTransfer } from './transfer-queries.ts';
import { countOf } from './wording.ts';

/** Mails the link again and says how that went (specification section 8, "Resend"). */
export function useResend(transferId: string) {
  const { mutateAsync, isPending } = useResendTransfer(transferId);
  const { secondsLeft, startAfter } = useCoolDown();
  const [refusal, setRefusal] = useState<string>();
  /** Whether it was sent. */
  const send = async (emails: string[]): Promise<boolean> => {
    setRefusal(undefined);
    try {
      const { sent } = await mutateAsync(emails);
      toast({
        title: 'Email sent!',
        description: `The link is on its way to ${sent === 1 ? emails[0] : countOf(sent, 'recipient')}.`,
      });
      return true;
    } catch (error) {
      toast({
        title: 'Failed to send email',
        description: 'Please try again later.',
        variant: 'destructive',
      });
      if (!(error instanceof ApiError)) return false;
      setRefusal(error.detail);
      // Beyond the day's mails fewer addresses may still pass: only the other throttle is waited out.
      if (error.code === 'too_many_requests') startAfter(error);
      return false;
    }
  };
  return { send, isSending: isPending, refusal, secondsLeft };
}
