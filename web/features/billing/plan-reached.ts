import { t } from '@lingui/core/macro';
import { useNavigate } from 'react-router';
import type { PaidTier, Subscription } from '../../../contracts/plans/billing.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { toast } from '../../components/feedback/toast.ts';

/** Whether the server has activated this plan, paid or in its free months. */
export function isPlanReached({ tier, status }: Subscription, wanted: PaidTier): boolean {
  return tier === wanted && (status === 'active' || status === 'trialing');
}

export function usePlanWelcome(): () => void {
  const navigate = useNavigate();
  return () => {
    toast({ title: t`Payment Successful`, description: t`Welcome to your new plan!` });
    void navigate(PAGES.dashboard);
  };
}
