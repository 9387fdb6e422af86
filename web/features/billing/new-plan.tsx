import { useEffect, useEffectEvent, useState } from 'react';
import {
  type CouponPrice,
  checkCoupon,
  createSubscription,
  type PaidTier,
  type PaymentStart,
} from '../../../contracts/plans/billing.ts';
import { call } from '../../api/call.ts';
import { PaymentDialog } from '../../billing/payment-dialog.tsx';
import type { PlanChangeProps } from './chosen-plan.tsx';
import { CouponField } from './coupon-field.tsx';
import { isPlanReached, usePlanWelcome } from './plan-reached.ts';
import { PriceSummary } from './price-summary.tsx';
import { sayStartFailed } from './start-failure.ts';

/** Starts the payment for a first paid plan, then opens its form. */
export function NewPlan({ tier, tiers, onOpenChange, onClose }: PlanChangeProps) {
  const welcome = usePlanWelcome();
  const { payment, coupon, isChanging, applyCoupon, removeCoupon } = useBegunPlan(tier, onClose);
  const isOpen = payment !== undefined;
  useEffect(() => {
    onOpenChange(isOpen);
    return () => onOpenChange(false);
  }, [isOpen, onOpenChange]);
  return (
    <PaymentDialog
      title="Complete Your Subscription"
      payment={payment}
      submitLabel="Subscribe Now"
      isChanging={isChanging}
      isReached={(subscription) => isPlanReached(subscription, tier)}
      onDone={welcome}
      onClose={onClose}
    >
      <PriceSummary {...{ tier, coupon }} price={tiers[tier].price} dueCents={payment?.dueCents ?? 0} />
      <CouponField coupon={coupon} isBusy={isChanging} onApply={applyCoupon} onRemove={removeCoupon} />
    </PaymentDialog>
  );
}

type Begun = { payment: PaymentStart; coupon: CouponPrice | null };

/** Each coupon begins the payment anew: what is due is the server's to say, and fixed from then on. */
function useBegunPlan(tier: PaidTier, onClose: () => void) {
  const [begun, setBegun] = useState<Begun>();
  const [isChanging, setChanging] = useState(false);
  const giveUp = useEffectEvent((error: unknown) => {
    sayStartFailed(error);
    onClose();
  });
  useEffect(() => {
    let isWanted = true;
    begin(tier).then(
      (payment) => isWanted && setBegun({ payment, coupon: null }),
      (error) => isWanted && giveUp(error),
    );
    return () => {
      isWanted = false;
    };
  }, [tier]);
  const change = async (next: () => Promise<Begun>) => {
    setChanging(true);
    try {
      setBegun(await next());
    } finally {
      setChanging(false);
    }
  };
  /** Throws ApiError when the coupon does not hold. */
  const applyCoupon = (code: string) =>
    change(async () => {
      const coupon = await call(checkCoupon, { body: { code, tier } });
      try {
        return { coupon, payment: await begin(tier, coupon.code) };
      } catch (error) {
        // The payment before it may have ended for this one.
        setBegun({ coupon: null, payment: await begin(tier) });
        throw error;
      }
    });
  const removeCoupon = () => change(async () => ({ coupon: null, payment: await begin(tier) }));
  return { payment: begun?.payment, coupon: begun?.coupon ?? null, isChanging, applyCoupon, removeCoupon };
}

function begin(tier: PaidTier, couponCode?: string): Promise<PaymentStart> {
  return call(createSubscription, { body: { tier, ...(couponCode && { couponCode }) } });
}
