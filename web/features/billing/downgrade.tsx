import { useEffect, useState } from 'react';
import { refusalText } from '../../../client/api-error.ts';
import { changeSubscription, type Subscription } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { call } from '../../api/call.ts';
import { centsOf, formatCents, formatDay } from '../../billing/money.ts';
import { keepSubscription } from '../../billing/subscription-queries.ts';
import { ConfirmDialog } from '../../components/actions/confirm-dialog.tsx';
import { toast } from '../../components/feedback/toast.ts';
import type { PlanChangeProps } from './chosen-plan.tsx';
import { endOfCoupon } from './describe-coupon.ts';

type DowngradeProps = PlanChangeProps & { subscription: Subscription };

/** The lower plan from the end of the paid period on; while that is to come it can be taken back. */
export function Downgrade({ tier, tiers, subscription, onOpenChange, onClose }: DowngradeProps) {
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  const { scheduledTier } = subscription;
  const isScheduled = scheduledTier === tier;
  const [present, lower] = [tierLabel(subscription.tier), tierLabel(tier)];
  const day = subscription.renewsAt ? formatDay(subscription.renewsAt) : 'the end of the paid period';
  const change = async () => {
    setBusy(true);
    try {
      const body = { tier: isScheduled ? ('premium' as const) : tier };
      await keepSubscription(await call(changeSubscription, { body }));
      toast({
        title: isScheduled ? 'Plan kept' : 'Plan changed',
        description: isScheduled
          ? `You stay on ${present}.`
          : `You have ${present} until ${day}, then ${lower}.`,
      });
      onClose();
    } catch (error) {
      toast({ title: 'Error', description: refusalText(error), variant: 'destructive' });
      setBusy(false);
    }
  };
  const cost = formatCents(centsOf(tiers[tier].price));
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title={isScheduled ? `${lower} begins on ${day}` : `Change to ${lower}?`}
      description={
        isScheduled
          ? `Until then you have ${present}. You can stay on it instead.`
          : `You keep ${present} until ${day}, which is paid. From then on you have ${lower} for ${cost} a month. ${endOfCoupon(subscription)}Transfers you have sent by then keep what they were promised.`
      }
      confirmLabel={isScheduled ? `Keep ${present}` : `Change to ${lower}`}
      cancelLabel={isScheduled ? 'Close' : 'Cancel'}
      isBusy={isBusy}
      onConfirm={() => void change()}
    />
  );
}
