import type { PaidTier } from '../../../contracts/billing.ts';
import type { TierConfig, TierName } from '../../../contracts/tiers.ts';
import { TIERS } from '../../../contracts/tiers.ts';
import type { Instant, SubscriptionRow } from '../../platform/db/schema.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';

/** After the first failure of a payment the plan goes on for so long. */
export const GRACE_MS = 7 * DAY_MS;

type Standing = Pick<SubscriptionRow, 'status' | 'graceEndsAt'>;

/** Whether it has been paid for (or a card taken) and is not over. */
export function isRunning({ status }: Pick<Standing, 'status'>): boolean {
  return status === 'active' || status === 'trialing' || status === 'past_due';
}

/** Whether a subscription gives its tier now: it runs, and a failed payment is within grace. */
export function entitles({ status, graceEndsAt }: Standing, now: Instant): boolean {
  if (status === 'past_due') return graceEndsAt !== null && now < graceEndsAt;
  return isRunning({ status });
}

type Plan = { tier: TierName; paymentSubscriptionId: string | null };

type Change = {
  /** The provider's id of the subscription that was looked at. */
  id: string;
  before: { tier: PaidTier; isEntitled: boolean };
  after: { tier: PaidTier; isEntitled: boolean };
  /** Another one that gives its owner a tier, if there is one. */
  other: { id: string; tier: PaidTier } | undefined;
};

/**
 * What a look at a subscription makes of its owner's plan; undefined: nothing. A plan that an administrator has
 * set stays until a subscription begins to entitle, becomes another tier, or ends.
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

/** Cents a month; the configuration has dollars. */
export function priceCentsOf(config: TierConfig, tier: PaidTier): number {
  return Math.round(config[tier].price * 100);
}

/** Whether the first plan is above the second. */
export function isAbove(tier: TierName, other: TierName): boolean {
  return TIERS.indexOf(tier) > TIERS.indexOf(other);
}
