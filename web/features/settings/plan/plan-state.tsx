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
            : t`This plan was given to you by an administrator. Nothing is charged.`}
          {provider === 'off' && t` To change your plan, ask your administrator.`}
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
  if (status === 'past_due')
    return (
      <Badge tone="danger">
        <Trans>Payment failed</Trans>
      </Badge>
    );
  if (cancelAtPeriodEnd)
    return (
      <Badge tone="outline">
        <Trans>Ends on</Trans> {renewsAt && formatLongDate(renewsAt)}
      </Badge>
    );
  if (scheduledTier)
    return (
      <Badge tone="outline">
        <Trans>Changes to {tierLabel(scheduledTier)}</Trans>
      </Badge>
    );
  if (freeUntil)
    return (
      <Badge tone="accent">
        <Trans>Free until {formatLongDate(freeUntil)}</Trans>
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
  const isLasting = !cancelAtPeriodEnd && !scheduledTier;
  return (
    <dl className="tabular mt-6 grid gap-x-10 gap-y-4 min-[26rem]:grid-cols-2">
      {nextChargeCents !== null && isLasting && (
        <Fact name="Price">
          <Trans>{formatCents(nextChargeCents)} a month</Trans>
          {discountPercent > 0 && (
            <span className="block text-sm text-ink-soft">
              <Trans>with your coupon, {discountPercent}% off</Trans>
            </span>
          )}
        </Fact>
      )}
      {nextChargeCents !== null && scheduledTier && (
        <Fact name={t`Next charge`}>
          <Trans>
            {formatCents(nextChargeCents)} for {tierLabel(scheduledTier)}
          </Trans>
        </Fact>
      )}
      {renewsAt && <Fact name={nameOfEnd(subscription)}>{formatLongDate(freeUntil ?? renewsAt)}</Fact>}
      {card && <Fact name="Card">{formatCard(card)}</Fact>}
    </dl>
  );
}

function nameOfEnd({ cancelAtPeriodEnd, freeUntil }: Subscription): string {
  if (cancelAtPeriodEnd) return t`Ends on`;
  return freeUntil ? t`First charge on` : t`Renews on`;
}

/** Announces a failed payment, a cancellation or a scheduled change, with the button to act on it. */
function PlanNotice({ subscription }: { subscription: Subscription }) {
  const { tier, status, cancelAtPeriodEnd, scheduledTier, renewsAt, graceEndsAt, provider } = subscription;
  const name = tierLabel(tier);
  const day = renewsAt ? formatLongDate(renewsAt) : t`the end of the paid period`;
  if (status === 'past_due')
    return (
      <Notice isUrgent action={<PayNow />}>
        <Trans>
          Your last payment failed.{' '}
          {tier === 'free'
            ? t`Your plan is paused until you pay.`
            : t`Please pay it${graceEndsAt ? t` by ${formatLongDate(graceEndsAt)}` : ''} to keep ${name}.`}
        </Trans>
      </Notice>
    );
  if (cancelAtPeriodEnd)
    return (
      <Notice action={provider !== 'off' && <ResumePlan />}>
        <Trans>
          You have {name} until {day}, then Free. Nothing more is charged.
        </Trans>
        {provider === 'off' && t` Plans are no longer sold here; ask your administrator to keep it.`}
      </Notice>
    );
  if (scheduledTier)
    return (
      <Notice action={<KeepPlan subscription={subscription} />}>
        <Trans>
          You have {name} until {day}, then {tierLabel(scheduledTier)}.
        </Trans>
      </Notice>
    );
  return null;
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
