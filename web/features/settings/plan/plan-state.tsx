import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Subscription } from '../../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../../contracts/plans/tiers.ts';
import { formatCents } from '../../../../contracts/values/format.ts';
import { Badge } from '../../../components/feedback/badge.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { formatLongDate } from '../../../lib/time/format-dates.ts';
import { formatCard } from '../../../paying/money.ts';
import { isRunning } from '../../../paying/subscription-queries.ts';
import { Fact } from '../settings-section.tsx';
import { CancelPlan, KeepPlan, PayNow, ResumePlan } from './plan-actions.tsx';

export function PlanState({ subscription }: { subscription: Subscription }) {
  const { tier, provider, supportEmail } = subscription;
  return (
    <div data-testid="plan">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="font-heading text-3xl">{tierLabel(tier)}</span>
        <StateBadge subscription={subscription} />
      </p>
      {isRunning(subscription) ? (
        <>
          <PlanNotice subscription={subscription} />
          <Facts subscription={subscription} />
          {!subscription.cancelAtPeriodEnd && <CancelPlan subscription={subscription} />}
        </>
      ) : (
        <p className="mt-2 text-ink-soft">
          {tier === 'free'
            ? t`Nothing is charged.`
            : t`An administrator gave you this plan. Nothing is charged.`}{' '}
          {provider === 'off' && <Trans>To change your plan, ask your administrator.</Trans>}
        </p>
      )}
      {supportEmail && (
        <p className="mt-4">
          <Trans>
            Priority support:{' '}
            <a href={`mailto:${supportEmail}`} className="link wrap-anywhere">
              {supportEmail}
            </a>
          </Trans>
        </p>
      )}
    </div>
  );
}

function StateBadge({ subscription }: { subscription: Subscription }) {
  const { status, cancelAtPeriodEnd, renewsAt, freeUntil, scheduledTier } = subscription;
  if (!isRunning(subscription)) return null;
  const day = renewsAt && formatLongDate(renewsAt);
  const nextPlan = scheduledTier && tierLabel(scheduledTier);
  const freeDay = freeUntil && formatLongDate(freeUntil);
  if (status === 'past_due')
    return (
      <Badge tone="danger">
        <Trans>Payment failed</Trans>
      </Badge>
    );
  if (cancelAtPeriodEnd)
    return <Badge tone="outline">{day ? <Trans>Ends on {day}</Trans> : <Trans>Canceled</Trans>}</Badge>;
  if (nextPlan)
    return (
      <Badge tone="outline">
        <Trans>Changes to {nextPlan}</Trans>
      </Badge>
    );
  if (freeDay)
    return (
      <Badge tone="accent">
        <Trans>Free until {freeDay}</Trans>
      </Badge>
    );
  return (
    <Badge tone="accent">
      <Trans>Active</Trans>
    </Badge>
  );
}

function Facts({ subscription }: { subscription: Subscription }) {
  const { nextChargeCents, renewsAt, card, discountPercent, cancelAtPeriodEnd, scheduledTier, freeUntil } =
    subscription;
  const nextCharge = nextChargeCents !== null && formatCents(nextChargeCents);
  const nextPlan = scheduledTier && tierLabel(scheduledTier);
  const isLasting = !cancelAtPeriodEnd && !scheduledTier;
  return (
    <dl className="tabular mt-6 grid gap-x-10 gap-y-4 min-[26rem]:grid-cols-2">
      {nextCharge && isLasting && (
        <Fact name={t`Price`}>
          <Trans>{nextCharge} a month</Trans>
          {discountPercent > 0 && (
            <span className="block text-sm text-ink-soft">
              <Trans>with your {discountPercent}% coupon discount</Trans>
            </span>
          )}
        </Fact>
      )}
      {nextCharge && nextPlan && (
        <Fact name={t`Next charge`}>
          <Trans>
            {nextCharge} for {nextPlan}
          </Trans>
        </Fact>
      )}
      {renewsAt && <Fact name={nameOfEnd(subscription)}>{formatLongDate(freeUntil ?? renewsAt)}</Fact>}
      {card && <Fact name={t`Card`}>{formatCard(card)}</Fact>}
    </dl>
  );
}

function nameOfEnd({ cancelAtPeriodEnd, freeUntil }: Subscription): string {
  if (cancelAtPeriodEnd) return t`Ends on`;
  return freeUntil ? t`First charge on` : t`Renews on`;
}

/** Announces a failed payment, a cancellation or a scheduled change, with the button to act on it. */
function PlanNotice({ subscription }: { subscription: Subscription }) {
  const { tier, status, cancelAtPeriodEnd, scheduledTier, renewsAt, provider } = subscription;
  const name = tierLabel(tier);
  const day = renewsAt && formatLongDate(renewsAt);
  const nextPlan = scheduledTier && tierLabel(scheduledTier);
  if (status === 'past_due')
    return (
      <Notice isUrgent action={<PayNow />}>
        {describeFailure(subscription)}
      </Notice>
    );
  if (cancelAtPeriodEnd)
    return (
      <Notice action={provider !== 'off' && <ResumePlan />}>
        {day
          ? t`You have ${name} until ${day}, then Free. Nothing more is charged.`
          : t`You have ${name} until the end of the paid period, then Free. Nothing more is charged.`}{' '}
        {provider === 'off' && (
          <Trans>Plans are no longer for sale here. Ask your administrator if you want to keep yours.</Trans>
        )}
      </Notice>
    );
  if (nextPlan)
    return (
      <Notice action={<KeepPlan subscription={subscription} />}>
        {day
          ? t`You have ${name} until ${day}, then ${nextPlan}.`
          : t`You have ${name} until the end of the paid period, then ${nextPlan}.`}
      </Notice>
    );
  return null;
}

function describeFailure({ tier, graceEndsAt }: Subscription): string {
  const name = tierLabel(tier);
  const day = graceEndsAt && formatLongDate(graceEndsAt);
  if (tier === 'free') return t`Your last payment failed. Your plan is paused until you pay.`;
  return day
    ? t`Your last payment failed. Please pay it by ${day} to keep ${name}.`
    : t`Your last payment failed. Please pay it to keep ${name}.`;
}

type NoticeProps = { isUrgent?: boolean; action: ReactNode; children: ReactNode };

function Notice({ isUrgent = false, action, children }: NoticeProps) {
  return (
    <div
      className={classNames(
        'mt-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-md border px-5 py-4',
        isUrgent ? 'border-danger-ink bg-danger-wash' : 'border-line-firm',
      )}
    >
      <p className="min-w-0 grow basis-60">{children}</p>
      {action}
    </div>
  );
}
