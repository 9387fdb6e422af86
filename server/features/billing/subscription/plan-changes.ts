import type { PaidTier, Subscription } from '../../../../contracts/plans/billing.ts';
import type { Context } from '../../../context.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { getTierConfig } from '../../tiers/index.ts';
import { isAbove, isRunning, priceCentsOf } from '../plan-rules.ts';
import { refresh, syncCurrent } from '../sync/sync.ts';
import { withBillingLock } from './billing-lock.ts';
import { presentCurrent } from './subscription-view.ts';

/**
 * Schedules a downgrade for the next period at today's price; the current plan's tier cancels it. Throws AppError
 * `no_subscription`, `payments_unavailable`, and `invalid_input` for a higher plan, which starts with a payment.
 */
export async function changePlan(context: Context, userId: string, tier: PaidTier): Promise<Subscription> {
  const config = await getTierConfig(context);
  return changeRunning(context, userId, async (row) => {
    if (isAbove(tier, row.tier))
      throw new AppError('invalid_input', { message: 'A higher plan begins with a payment.' });
    const id = row.providerSubscriptionId;
    if (tier !== row.tier) {
      await context.payments.schedule(id, { tier, priceCents: priceCentsOf(config, tier) });
    } else if (row.scheduledTier) {
      await context.payments.schedule(id, null);
    }
  });
}

export function cancelPlan(context: Context, userId: string): Promise<Subscription> {
  return changeRunning(context, userId, ({ providerSubscriptionId }) =>
    context.payments.setCancelAtPeriodEnd(providerSubscriptionId, true),
  );
}

/** Undoes a cancellation. Throws AppError `no_subscription` (also once the plan has ended), `payments_unavailable`. */
export function resumePlan(context: Context, userId: string): Promise<Subscription> {
  return changeRunning(context, userId, async ({ providerSubscriptionId, cancelAtPeriodEnd }) => {
    if (cancelAtPeriodEnd) await context.payments.setCancelAtPeriodEnd(providerSubscriptionId, false);
  });
}

/** Syncs first, because the stored state may be outdated. */
function changeRunning(
  context: Context,
  userId: string,
  change: (row: SubscriptionRow) => Promise<void>,
): Promise<Subscription> {
  return withBillingLock(context, userId, async () => {
    const row = await syncCurrent(context, userId);
    if (!row || !isRunning(row)) throw new AppError('no_subscription');
    try {
      await change(row);
    } catch (error) {
      if (!isAppError(error, 'payment_not_found')) throw error;
      // The subscription ended between the sync and the change.
      await refresh(context, row);
      throw new AppError('no_subscription');
    }
    await refresh(context, row);
    return presentCurrent(context, userId);
  });
}
