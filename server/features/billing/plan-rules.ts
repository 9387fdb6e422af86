import type { PaidTier } from '../../../contracts/plans/billing.ts';
import { TIERS, type TierConfig, type TierName } from '../../../contracts/plans/tiers.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';

/** How long a plan continues after the first failed payment. */
export const GRACE_MS = 7 * DAY_MS;

type Standing = Pick<SubscriptionRow, 'status' | 'graceEndsAt'>;

/** Whether the subscription was paid for, or a card stored, and it has not ended. */
export function isRunning({ status }: Pick<Standing, 'status'>): boolean {
  return status === 'active' || status === 'trialing' || status === 'past_due';
}

/** Whether the subscription currently grants its tier. A failed payment keeps it during the grace period. */
export function entitles({ status, graceEndsAt }: Standing, now: Instant): boolean {
  if (status === 'past_due') return graceEndsAt !== null && now < graceEndsAt;
  return isRunning({ status });
}

type Plan = { tier: TierName; paymentSubscriptionId: string | null };

type Change = {
  id: string;
  before: { tier: PaidTier; isEntitled: boolean };
  after: { tier: PaidTier; isEntitled: boolean };
  other: { id: string; tier: PaidTier } | undefined;
};

/**
 * Returns the plan that follows from a sync, or undefined if it stays. A plan set by an administrator stays until a
 * subscription starts to grant a tier, changes its tier, or ends.
 */
export function decidePlan(payingId: string | null, { id, before, after, other }: Change): Plan | undefined {
  if (after.isEntitled) {
    const isNews = !before.isEntitled || before.tier !== after.tier;
    return isNews ? { tier: after.tier, paymentSubscriptionId: id } : undefined;
  }
  if (payingId !== id) return undefined;
  return other
    ? { tier: other.tier, paymentSubscriptionId: other.id }
    : { tier: 'free', paymentSubscriptionId: null };
}

/** Cents per month; the configuration is in dollars. */
export function priceCentsOf(config: TierConfig, tier: PaidTier): number {
  return Math.round(config[tier].price * 100);
}

export function isAbove(tier: TierName, other: TierName): boolean {
  return TIERS.indexOf(tier) > TIERS.indexOf(other);
}
