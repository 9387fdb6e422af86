import { t } from '@lingui/core/macro';
import { useLocation } from 'wouter';
import type { PaidTier, Subscription } from '../../../contracts/plans/billing.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { toast } from '../../components/feedback/toast.ts';

/** Whether the server has activated this plan, paid or in its free months. */
export function isPlanReached({ tier, status }: Subscription, wanted: PaidTier): boolean {
  return tier === wanted && (status === 'active' || status === 'trialing');
}

export function usePlanWelcome(): () => void {
  const [, navigate] = useLocation();
  return () => {
    toast({ title: t`Payment Successful`, description: t`Welcome to your new plan!` });
    navigate(PAGES.dashboard);
  };
}
