import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'wouter';
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
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
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
  /** Clears the chosen plan. */
  onClose: () => void;
};

type ChosenPlanProps = PlanChangeProps & {
  subscription: Pick<UseQueryResult<Subscription>, 'data' | 'error'>;
};

/** Starts a new subscription for the chosen plan, or changes the running one. */
export function ChosenPlan({ subscription, ...props }: ChosenPlanProps) {
  const { tier, onClose } = props;
  // Decided once, because paying changes the subscription while the dialog is open.
  const [running] = useState(() => (isRunning(subscription.data) ? subscription.data : undefined));
  const [error] = useState(subscription.data ? null : subscription.error);
  const isAlreadyOn = running?.tier === tier;
  const giveUp = useEffectEvent(() => {
    if (error) sayStartFailed(error);
    onClose();
  });
  const isPointless = error !== null || isAlreadyOn;
  useEffect(() => {
    if (isPointless) giveUp();
  }, [isPointless]);
  if (isPointless) return null;
  if (!running) return <NewPlan {...props} />;
  if (running.status === 'past_due') return <PayFirst {...props} />;
  const Change = running.tier === 'premium' ? Downgrade : Upgrade;
  return <Change {...props} subscription={running} />;
}

type DowngradeProps = PlanChangeProps & { subscription: Subscription };

/** Schedules the lower plan for the end of the paid period, or cancels the scheduled change. */
function Downgrade({ tier, tiers, subscription, onOpenChange, onClose }: DowngradeProps) {
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  const { scheduledTier } = subscription;
  const isScheduled = scheduledTier === tier;
  const [present, lower] = [tierLabel(subscription.tier), tierLabel(tier)];
  const day = subscription.renewsAt && formatLongDate(subscription.renewsAt);
  const cost = formatCents(centsOf(tiers[tier].price));
  const { run, isPending } = useAction(changeSubscription, {
    onSuccess: keepSubscription,
    success: isScheduled
      ? { title: t`Plan kept`, description: t`You stay on ${present}.` }
      : {
          title: t`Plan changed`,
          description: day
            ? t`You have ${present} until ${day}, then ${lower}.`
            : t`You have ${present} until the end of the paid period, then ${lower}.`,
        },
  });
  const change = async () => {
    if (await run({ body: { tier: isScheduled ? 'premium' : tier } })) onClose();
  };
  const whenItChanges = day
    ? t`You keep ${present} until ${day}, because it is paid until then. After that, you have ${lower} for ${cost} a month.`
    : t`You keep ${present} until the end of the paid period. After that, you have ${lower} for ${cost} a month.`;
  const scheduledTitle = day ? t`${lower} begins on ${day}` : t`${lower} begins after the paid period`;
  const keptLimits = t`Transfers you send before then keep their current limits.`;
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title={isScheduled ? scheduledTitle : t`Change to ${lower}?`}
      description={
        isScheduled
          ? t`Until then you have ${present}. You can stay on it instead.`
          : [whenItChanges, endOfCoupon(subscription), keptLimits].filter(Boolean).join(' ')
      }
      confirmLabel={isScheduled ? t`Keep ${present}` : t`Change to ${lower}`}
      cancelLabel={isScheduled ? t`Close` : t`Cancel`}
      isBusy={isPending}
      onConfirm={() => void change()}
    />
  );
}

type UpgradeProps = PlanChangeProps & { subscription: Subscription };

/** Upgrades immediately and charges the difference. The form opens only if the bank asks for confirmation. */
function Upgrade({ tier, tiers, subscription, onOpenChange, onClose }: UpgradeProps) {
  const plan = tierLabel(tier);
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
        title={t`Upgrade to ${plan}?`}
        description={<WhatItCosts subscription={subscription} price={tiers[tier].price} />}
        confirmLabel={t`Upgrade to ${plan}`}
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

/** Says "About", because the provider prorates to the second. */
function WhatItCosts({ subscription, price }: { subscription: Subscription; price: number }) {
  const { card, renewsAt, status } = subscription;
  const monthlyCents = centsOf(price);
  const amount = formatCents(estimateProration(subscription, monthlyCents, Date.now()));
  const cardName = card && formatCard(card);
  if (status === 'trialing')
    return (
      <>
        {cardName ? (
          <Trans>
            This ends your free months: <strong className="text-ink">{amount}</strong> is charged to your{' '}
            {cardName} now, and the same amount every month from then on.
          </Trans>
        ) : (
          <Trans>
            This ends your free months: <strong className="text-ink">{amount}</strong> is charged to your card
            now, and the same amount every month from then on.
          </Trans>
        )}{' '}
        <Trans>The new plan starts immediately.</Trans>
      </>
    );
  const day = renewsAt && formatLongDate(renewsAt);
  const monthlyPrice = formatCents(monthlyCents);
  return (
    <>
      {cardName ? (
        <Trans>
          About <strong className="text-ink">{amount}</strong> is charged to your {cardName} now: the
          difference for the rest of your paid period.
        </Trans>
      ) : (
        <Trans>
          About <strong className="text-ink">{amount}</strong> is charged to your card now: the difference for
          the rest of your paid period.
        </Trans>
      )}{' '}
      {day && (
        <Trans>
          From {day} on, it is {monthlyPrice} a month.
        </Trans>
      )}{' '}
      {endOfCoupon(subscription)} <Trans>The new plan starts immediately.</Trans>
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

/** Each coupon starts a new payment, because the server fixes the amount due when a payment starts. */
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
  /** Throws ApiError if the coupon is not valid. */
  const applyCoupon = (code: string) =>
    change(async () => {
      const coupon = await call(checkCoupon, { body: { code, tier } });
      try {
        return { coupon, payment: await begin(tier, coupon.code) };
      } catch (error) {
        // Starting this payment may have ended the previous one.
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

function PayFirst({ onOpenChange, onClose }: PlanChangeProps) {
  const [, navigate] = useLocation();
  useEffect(() => {
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [onOpenChange]);
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={onClose}
      title={t`A payment is due`}
      description={t`Your last payment failed. Please pay it first, with the same or another card. Then you can change your plan.`}
      confirmLabel={t`Pay now`}
      onConfirm={() => navigate(payNowPath)}
    />
  );
}
