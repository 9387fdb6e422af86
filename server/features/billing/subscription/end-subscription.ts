import { z } from 'zod';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { listUnended } from '../queries.ts';
import { syncSubscription } from '../sync/sync.ts';

/** A deleted user must not keep paying, even if the provider is unavailable for weeks. */
const GIVE_UP_AFTER_MS = 60 * DAY_MS;

export const endJob = defineJob<Context, { id: string }>({
  name: 'end-subscription',
  payload: z.object({ id: z.string() }),
  retry: { giveUpAfterMs: GIVE_UP_AFTER_MS },
  async run(context, { id }) {
    await endSubscription(context, id);
  },
});

export function enqueueEnd(trx: Trx, providerSubscriptionId: string): Promise<void> {
  return enqueue(trx, endJob, { id: providerSubscriptionId }, { uniqueKey: providerSubscriptionId });
}

/** Ends all of the user's subscriptions without a refund, because the account is being deleted. */
export async function endSubscriptionsOf(trx: Trx, userId: string): Promise<void> {
  for (const id of await listUnended(trx, userId)) await enqueueEnd(trx, id);
}

/**
 * Ends an unpaid attempt. Returns false and lets it continue if it was paid or is being paid. Throws AppError
 * `payments_unavailable`.
 */
export async function abandonAttempt(context: Context, providerSubscriptionId: string): Promise<boolean> {
  const isEnded = await abandon(context, providerSubscriptionId);
  if (isEnded) await syncSubscription(context, providerSubscriptionId);
  return isEnded;
}

async function abandon({ payments }: Context, providerSubscriptionId: string): Promise<boolean> {
  try {
    return await payments.abandon(providerSubscriptionId);
  } catch (error) {
    if (isAppError(error, 'payment_not_found')) return true;
    throw error;
  }
}

/** Ends a subscription immediately. Throws AppError `payments_unavailable`. */
export async function endSubscription(context: Context, providerSubscriptionId: string): Promise<void> {
  try {
    await context.payments.end(providerSubscriptionId);
  } catch (error) {
    if (!isAppError(error, 'payment_not_found')) throw error;
  }
  await syncSubscription(context, providerSubscriptionId);
}
