import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../../../client/api-error.ts';
import {
  type CouponPrice,
  changeSubscription,
  checkCoupon,
  createSubscription,
  type PaidTier,
  type PaymentStart,
  type Subscription,
} from '../../../contracts/plans/billing.ts';
import { type TierConfig, tierLabel } from '../../../contracts/plans/tiers.ts';
import { formatCents } from '../../../contracts/values/format.ts';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/actions/confirm-dialog.tsx';
import { formatLongDate } from '../../lib/time/format-dates.ts';
import { sayPaymentFailed } from '../../paying/card-form.tsx';
import { centsOf, formatCard } from '../../paying/money.ts';
import { payNowPath } from '../../paying/pay-now.ts';
import { PaymentDialog } from '../../paying/payment-dialog.tsx';
import { isRunning, keepSubscription } from '../../paying/subscription-queries.ts';
import { CouponField } from './coupon-field.tsx';
import { endOfCoupon } from './describe-coupon.ts';
import { isPlanReached, usePlanWelcome } from './plan-reached.ts';
import { PriceSummary } from './price-summary.tsx';
import { estimateProration } from './proration.ts';
import { sayStartFailed } from './start-failure.ts';

type PlanChangeProps = {
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

type DowngradeProps = PlanChangeProps & { subscription: Subscription };

/** The lower plan from the end of the paid period on; while that is to come it can be taken back. */
function Downgrade({ tier, tiers, subscription, onOpenChange, onClose }: DowngradeProps) {
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  const { scheduledTier } = subscription;
  const isScheduled = scheduledTier === tier;
  const [present, lower] = [tierLabel(subscription.tier), tierLabel(tier)];
  const day = subscription.renewsAt ? formatLongDate(subscription.renewsAt) : t`the end of the paid period`;
  const { run, isPending } = useAction(changeSubscription, {
    onSuccess: keepSubscription,
    success: isScheduled
      ? { title: t`Plan kept`, description: t`You stay on ${present}.` }
      : { title: t`Plan changed`, description: t`You have ${present} until ${day}, then ${lower}.` },
  });
  const change = async () => {
    if (await run({ body: { tier: isScheduled ? 'premium' : tier } })) onClose();
  };
  const cost = formatCents(centsOf(tiers[tier].price));
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title={isScheduled ? t`${lower} begins on ${day}` : t`Change to ${lower}?`}
      description={
        isScheduled
          ? t`Until then you have ${present}. You can stay on it instead.`
          : t`You keep ${present} until ${day}, which is paid. From then on you have ${lower} for ${cost} a month. ${endOfCoupon(subscription)}Transfers you have sent by then keep what they were promised.`
      }
      confirmLabel={isScheduled ? t`Keep ${present}` : t`Change to ${lower}`}
      cancelLabel={isScheduled ? t`Close` : t`Cancel`}
      isBusy={isPending}
      onConfirm={() => void change()}
    />
  );
}

type UpgradeProps = PlanChangeProps & { subscription: Subscription };

/** The higher plan at once, for the difference; only what the bank wants confirmed needs a form. */
function Upgrade({ tier, tiers, subscription, onOpenChange, onClose }: UpgradeProps) {
  const welcome = usePlanWelcome();
  const {
    mutate,
    isPending,
    data: payment,
  } = useAction(createSubscription, {
    failure: () => undefined,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'payment_declined') sayPaymentFailed(error.detail);
      else sayStartFailed(error);
    },
  });
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  return (
    <>
      <ConfirmDialog
        isOpen={payment === undefined}
        onOpenChange={onClose}
        title={t`Upgrade to ${tierLabel(tier)}?`}
        description={<WhatItCosts subscription={subscription} price={tiers[tier].price} />}
        confirmLabel={t`Upgrade to ${tierLabel(tier)}`}
        isBusy={isPending}
        onConfirm={() => mutate({ body: { tier } })}
      />
      <PaymentDialog
        title={t`Complete Your Subscription`}
        payment={payment}
        submitLabel={t`Subscribe Now`}
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
  const where = card ? t`your ${formatCard(card)}` : t`your card`;
  if (status === 'trialing')
    return (
      <Trans>
        Your free months end with this: <strong className="text-ink">{amount}</strong> is charged to {where}{' '}
        now, and the same each month from then on. The new plan begins at once.
      </Trans>
    );
  return (
    <>
      <Trans>About</Trans> <strong className="text-ink">{amount}</strong> <Trans>is charged to</Trans> {where}{' '}
      <Trans>now: the difference for the rest of your paid period.</Trans>{' '}
      {renewsAt && t`From ${formatLongDate(renewsAt)} on it is ${formatCents(monthlyCents)} a month. `}
      {endOfCoupon(subscription)}
      <Trans>The new plan begins at once.</Trans>
    </>
  );
}

/** A first paid plan: starts the payment, then opens its form. */
function NewPlan({ tier, tiers, onOpenChange, onClose }: PlanChangeProps) {
  const welcome = usePlanWelcome();
  const { payment, coupon, isChanging, applyCoupon, removeCoupon } = useBegunPlan(tier, onClose);
  const isOpen = payment !== undefined;
  useEffect(() => {
    onOpenChange(isOpen);
    return () => onOpenChange(false);
  }, [isOpen, onOpenChange]);
  return (
    <PaymentDialog
      title={t`Complete Your Subscription`}
      payment={payment}
      submitLabel={t`Subscribe Now`}
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

/** What is owed comes before any change of the plan. */
function PayFirst({ onOpenChange, onClose }: PlanChangeProps) {
  const navigate = useNavigate();
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title={t`A payment is open`}
      description={t`Your last payment failed. Please pay it first, also with another card; then you can change your plan.`}
      confirmLabel={t`Pay now`}
      onConfirm={() => void navigate(payNowPath)}
    />
  );
}
