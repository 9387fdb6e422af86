import { useEffect, useState } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import {
  createSubscription,
  type PaymentStart,
  type Subscription,
} from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { call } from '../../api/call.ts';
import { sayPaymentFailed } from '../../billing/card-form.ts';
import { centsOf, formatCard, formatCents, formatDay } from '../../billing/money.ts';
import { PaymentDialog } from '../../billing/payment-dialog.tsx';
import { ConfirmDialog } from '../../components/actions/confirm-dialog.tsx';
import type { PlanChangeProps } from './chosen-plan.tsx';
import { endOfCoupon } from './describe-coupon.ts';
import { isPlanReached, usePlanWelcome } from './plan-reached.ts';
import { estimateProration } from './proration.ts';
import { sayStartFailed } from './start-failure.ts';

type UpgradeProps = PlanChangeProps & { subscription: Subscription };

/** The higher plan at once, for the difference; only what the bank wants confirmed needs a form. */
export function Upgrade({ tier, tiers, subscription, onOpenChange, onClose }: UpgradeProps) {
  const welcome = usePlanWelcome();
  const [payment, setPayment] = useState<PaymentStart>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  const upgrade = async () => {
    setBusy(true);
    try {
      setPayment(await call(createSubscription, { body: { tier } }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payment_declined') sayPaymentFailed(error.detail);
      else sayStartFailed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ConfirmDialog
        isOpen={payment === undefined}
        onOpenChange={onClose}
        title={`Upgrade to ${tierLabel(tier)}?`}
        description={<WhatItCosts subscription={subscription} price={tiers[tier].price} />}
        confirmLabel={`Upgrade to ${tierLabel(tier)}`}
        isBusy={isBusy}
        onConfirm={() => void upgrade()}
      />
      <PaymentDialog
        title="Complete Your Subscription"
        payment={payment}
        submitLabel="Subscribe Now"
        isReached={(each) => isPlanReached(each, tier)}
        onDone={welcome}
        onClose={onClose}
      />
    </>
  );
}

/** The exact amount is the provider's, to the second; nobody is told a number that is not kept. */
function WhatItCosts({ subscription, price }: { subscription: Subscription; price: number }) {
  const { card, renewsAt, status } = subscription;
  const monthlyCents = centsOf(price);
  const amount = formatCents(estimateProration(subscription, monthlyCents, Date.now()));
  const where = card ? `your ${formatCard(card)}` : 'your card';
  if (status === 'trialing')
    return (
      <>
        Your free months end with this: <strong className="text-ink">{amount}</strong> is charged to {where}{' '}
        now, and the same each month from then on. The new plan begins at once.
      </>
    );
  return (
    <>
      About <strong className="text-ink">{amount}</strong> is charged to {where} now: the difference for the
      rest of your paid period.{' '}
      {renewsAt && `From ${formatDay(renewsAt)} on it is ${formatCents(monthlyCents)} a month. `}
      {endOfCoupon(subscription)}
      The new plan begins at once.
    </>
  );
}
