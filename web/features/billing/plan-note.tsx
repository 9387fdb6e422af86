import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Subscription } from '../../../contracts/plans/billing.ts';
import { tierLabel } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { formatDay } from '../../billing/money.ts';
import { isRunning } from '../../billing/subscription-queries.ts';

/** How a subscription goes on, and where that is decided; null without one. */
export function describeCourse(subscription: Subscription | undefined): ReactNode {
  if (!isRunning(subscription)) return null;
  return (
    <>
      {describe(subscription)}{' '}
      <Link to={`${PAGES.settings}#plan`} className="link">
        Manage
      </Link>
    </>
  );
}

function describe({ status, cancelAtPeriodEnd, scheduledTier, renewsAt, freeUntil }: Subscription): string {
  if (status === 'past_due') return 'A payment failed.';
  const day = renewsAt ? formatDay(renewsAt) : '';
  if (cancelAtPeriodEnd) return `Ends on ${day}.`;
  if (scheduledTier) return `${tierLabel(scheduledTier)} from ${day} on.`;
  if (freeUntil) return `Free until ${formatDay(freeUntil)}.`;
  return `Renews on ${day}.`;
}
