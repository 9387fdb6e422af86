import { useState } from 'react';
import { refusalText } from '../../../client/api-error.ts';
import type { Subscription } from '../../../contracts/plans/billing.ts';
import { keepSubscription } from '../../billing/subscription-queries.ts';
import { toast } from '../../components/toast.ts';
import { focusSection } from './settings-section.tsx';

type Words = { title: string; description: string };

/** Changes the plan, shows what has become of it, and says so. */
export function usePlanChange() {
  const [isBusy, setBusy] = useState(false);
  const change = async (
    send: () => Promise<Subscription>,
    describe: (changed: Subscription) => Words,
  ): Promise<void> => {
    setBusy(true);
    try {
      const changed = await send();
      await keepSubscription(changed);
      toast(describe(changed));
      // The button that was pressed is gone.
      focusSection('plan');
    } catch (error) {
      toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
    } finally {
      setBusy(false);
    }
  };
  return { change, isBusy };
}
