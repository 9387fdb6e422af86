import { useEffect, useRef, useState } from 'react';
import type { Subscription } from '../../contracts/plans/billing.ts';
import { waitForSubscription } from './wait-for-subscription.ts';

export type ConfirmationPhase = 'idle' | 'confirming' | 'slow';

type Confirmation = { isReached: (subscription: Subscription) => boolean; onDone: () => void };

/** Waits for the provider's word after a payment; `slow` once that takes long. Leaving the page ends the wait. */
export function useConfirmation({ isReached, onDone }: Confirmation) {
  const [phase, setPhase] = useState<ConfirmationPhase>('idle');
  const wait = useRef<AbortController>(null);
  useEffect(() => () => wait.current?.abort(), []);
  const start = async () => {
    wait.current?.abort();
    wait.current = new AbortController();
    const { signal } = wait.current;
    setPhase('confirming');
    try {
      const reached = await waitForSubscription(isReached, signal);
      if (reached) onDone();
      else setPhase('slow');
    } catch {
      if (!signal.aborted) setPhase('slow');
    }
  };
  return { phase, start };
}
