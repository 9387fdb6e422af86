import type { PaidTier, Subscription } from '../../../../contracts/billing.ts';
import type { Context } from '../../../context.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { getTierConfig } from '../../tiers/index.ts';
import { isAbove, isRunning, priceCentsOf } from '../plan-rules.ts';
import { refresh, syncCurrent } from '../sync/sync.ts';
import { presentCurrent } from './subscription-view.ts';
import { inTurn } from './turns.ts';

/**
 * Takes the lower plan from the next period on, at its price of today; naming the present plan takes that back.
 * Throws AppError `no_subscription`, `payments_unavailable`, and `invalid_input` for a higher plan, which begins
 * with a payment.
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

/** Ends the plan with the paid period. Throws AppError `no_subscription`, `payments_unavailable`. */
export function cancelPlan(context: Context, userId: string): Promise<Subscription> {
  return changeRunning(context, userId, ({ providerSubscriptionId }) =>
    context.payments.setCancelAtPeriodEnd(providerSubscriptionId, true),
  );
}

/** Takes a cancellation back. Throws AppError `no_subscription` (also once it is over), `payments_unavailable`. */
export function resumePlan(context: Context, userId: string): Promise<Subscription> {
  return changeRunning(context, userId, async ({ providerSubscriptionId, cancelAtPeriodEnd }) => {
    if (cancelAtPeriodEnd) await context.payments.setCancelAtPeriodEnd(providerSubscriptionId, false);
  });
}

/** Judged by what the provider says now, never by what was written here before. */
function changeRunning(
  context: Context,
  userId: string,
  change: (row: SubscriptionRow) => Promise<void>,
): Promise<Subscription> {
  return inTurn(context, userId, async () => {
    const row = await syncCurrent(context, userId);
    if (!row || !isRunning(row)) throw new AppError('no_subscription');
    try {
      await change(row);
    } catch (error) {
      if (!isAppError(error, 'payment_not_found')) throw error;
      // It has ended between the look and the change.
      await refresh(context, row);
      throw new AppError('no_subscription');
    }
    await refresh(context, row);
    return presentCurrent(context, userId);
  });
}
