import type { ReactNode } from 'react';
import type { Subscription } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { formatDay } from '../../billing/money.ts';
import { classNames } from '../../lib/class-names.ts';
import { KeepPlan, PayNow, ResumePlan } from './plan-actions.tsx';

/** What will happen to the plan by itself, and the way to change that. */
export function PlanNotice({ subscription }: { subscription: Subscription }) {
  const { tier, status, cancelAtPeriodEnd, scheduledTier, renewsAt, graceEndsAt, provider } = subscription;
  const name = tierLabel(tier);
  const day = renewsAt ? formatDay(renewsAt) : 'the end of the paid period';
  if (status === 'past_due')
    return (
      <Notice isUrgent action={<PayNow />}>
        Your last payment failed.{' '}
        {tier === 'free'
          ? 'Your plan rests until it is paid.'
          : `Please pay it${graceEndsAt ? ` by ${formatDay(graceEndsAt)}` : ''} to keep ${name}.`}
      </Notice>
    );
  if (cancelAtPeriodEnd)
    return (
      <Notice action={provider !== 'off' && <ResumePlan />}>
        You have {name} until {day}, then Free. Nothing more is charged.
        {provider === 'off' && ' Plans are no longer sold here; ask your administrator to keep it.'}
      </Notice>
    );
  if (scheduledTier)
    return (
      <Notice action={<KeepPlan subscription={subscription} />}>
        You have {name} until {day}, then {tierLabel(scheduledTier)}.
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
