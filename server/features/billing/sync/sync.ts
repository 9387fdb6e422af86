import { z } from 'zod';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { claimSync, findCurrentSubscription, findUserIdOfCustomer, insertSubscription } from '../queries.ts';
import { type Answer, applySync } from './apply-sync.ts';

const TRIES = 5;

export const syncJob = defineJob<Context, { id: string }>({
  name: 'sync-subscription',
  payload: z.object({ id: z.string() }),
  async run(context, { id }) {
    await syncSubscription(context, id);
  },
});

export function enqueueSync(trx: Trx, providerSubscriptionId: string): Promise<void> {
  return enqueue(trx, syncJob, { id: providerSubscriptionId }, { uniqueKey: providerSubscriptionId });
}

/**
 * Fetches a subscription's state from the provider and applies it. Syncs are numbered and only the newest is stored,
 * so that an older response never overwrites a newer one. Returns undefined for a subscription of an unknown customer.
 * Throws AppError `payments_unavailable`, and `conflict` if other syncs keep interfering.
 */
export async function syncSubscription(
  context: Context,
  providerSubscriptionId: string,
): Promise<SubscriptionRow | undefined> {
  const { db, payments } = context;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const claimed = await claimSync(db, providerSubscriptionId, payments.name);
    if (!claimed) {
      if (await adopt(context, providerSubscriptionId)) continue;
      return undefined;
    }
    const answer = await fetchAnswer(context, claimed);
    const written = await transaction(db, (trx) => applySync({ ...context, db: trx }, claimed, answer));
    if (!written) continue;
    if (!written.mustEnd) return written.row;
    await endNow(context, providerSubscriptionId);
  }
  throw new AppError('conflict');
}

/** Like `syncSubscription`; if the provider is unavailable, a job syncs later and the known row is returned. */
export async function refresh(context: Context, known: SubscriptionRow): Promise<SubscriptionRow> {
  const { db, log } = context;
  try {
    return (await syncSubscription(context, known.providerSubscriptionId)) ?? known;
  } catch (error) {
    if (!isAppError(error)) throw error;
    log.warn({ err: error }, 'Subscription sync failed; retrying later.');
    await transaction(db, (trx) => enqueueSync(trx, known.providerSubscriptionId));
    return known;
  }
}

/**
 * Syncs a user's subscription; returns undefined if there has never been one. Throws AppError `payments_unavailable`.
 */
export async function syncCurrent(context: Context, userId: string): Promise<SubscriptionRow | undefined> {
  const { db, payments } = context;
  const known = await findCurrentSubscription(db, userId, payments.name);
  // Without `endedAt` it was ended here without asking the provider.
  if (!known || (known.status === 'ended' && known.endedAt !== null)) return known;
  await syncSubscription(context, known.providerSubscriptionId);
  return findCurrentSubscription(db, userId, payments.name);
}

async function fetchAnswer({ payments }: Context, claimed: SubscriptionRow): Promise<Answer> {
  const found = await payments.findSubscription(claimed.providerSubscriptionId);
  return { found, invoices: found ? await payments.listInvoices(found.customerId) : [] };
}

/** Ends a subscription that must not continue. If that fails, a job retries it. */
async function endNow({ db, payments }: Context, id: string): Promise<void> {
  try {
    await payments.end(id);
  } catch (error) {
    if (isAppError(error, 'payment_not_found')) return;
    await transaction(db, (trx) => enqueueSync(trx, id));
    throw error;
  }
}

/** Inserts a subscription whose event arrived before its creation was recorded. The customer identifies the user. */
async function adopt({ db, payments, clock }: Context, id: string): Promise<boolean> {
  const found = await payments.findSubscription(id);
  if (!found || found.status === 'ended') return false;
  const userId = await findUserIdOfCustomer(db, found.customerId);
  if (userId === undefined) return false;
  const now = clock.now();
  const row = { id: randomId(), userId, provider: payments.name, providerSubscriptionId: id };
  const { tier, priceCents, discountPercent } = found;
  await transaction(db, (trx) =>
    insertSubscription(trx, {
      ...row,
      ...{ tier, priceCents, discountPercent },
      ...{ status: 'incomplete', createdAt: now, updatedAt: now },
    }),
  );
  return true;
}
