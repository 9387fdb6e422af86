import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { PaidTier, Subscription } from '../../../contracts/plans/billing.ts';
import type { TierConfig } from '../../../contracts/plans/tiers.ts';
import { isRunning } from '../../billing/subscription-queries.ts';
import { Downgrade } from './downgrade.tsx';
import { NewPlan } from './new-plan.tsx';
import { PayFirst } from './pay-first.tsx';
import { sayStartFailed } from './start-failure.ts';
import { Upgrade } from './upgrade.tsx';

export type PlanChangeProps = {
  tier: PaidTier;
  tiers: TierConfig;
  onOpenChange: (isOpen: boolean) => void;
  /** Gives the chosen plan up. */
  onClose: () => void;
};

type ChosenPlanProps = PlanChangeProps & {
  subscription: Pick<UseQueryResult<Subscription>, 'data' | 'error'>;
};

/** Leads to the chosen plan: by a new subscription, or by changing the one that runs. */
export function ChosenPlan({ subscription, ...props }: ChosenPlanProps) {
  const { tier, onClose } = props;
  // Decided once: what is paid here changes the subscription under the open dialog.
  const [running] = useState(() => (isRunning(subscription.data) ? subscription.data : undefined));
  const [error] = useState(subscription.data ? null : subscription.error);
  const isThereAlready = running?.tier === tier;
  const giveUp = useEffectEvent(() => {
    if (error) sayStartFailed(error);
    onClose();
  });
  const isInVain = error !== null || isThereAlready;
  useEffect(() => {
    if (isInVain) giveUp();
  }, [isInVain]);
  if (isInVain) return null;
  if (!running) return <NewPlan {...props} />;
  if (running.status === 'past_due') return <PayFirst {...props} />;
  const Change = running.tier === 'premium' ? Downgrade : Upgrade;
  return <Change {...props} subscription={running} />;
}
