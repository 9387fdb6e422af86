import type { Context } from '../../context.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';
import { findCurrentSubscription } from './queries.ts';
import { syncSubscription } from './sync.ts';

/**
 * A user's subscription as the provider has it now; undefined when there is none, and none that has ended. Throws
 * AppError `payments_unavailable`.
 */
export async function lookAtCurrent(context: Context, userId: string): Promise<SubscriptionRow | undefined> {
  const { db, payments } = context;
  const known = await findCurrentSubscription(db, userId, payments.name);
  // Without an instant it was ended here only, while its provider could not be asked.
  if (!known || (known.status === 'ended' && known.endedAt !== null)) return known;
  await syncSubscription(context, known.providerSubscriptionId);
  return findCurrentSubscription(db, userId, payments.name);
}
