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

/** Looks at a subscription later, when the provider or the database did not answer now. */
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
 * Asks the provider how a subscription stands and makes it so here: its row, its owner's plan, invoices, the use
 * of its coupon, and mails. Looks are numbered, and only the newest is written: an older answer never stands over
 * a newer one (race 33). Returns the row; undefined for one that is nobody's here. Throws AppError
 * `payments_unavailable`, and `conflict` when others keep looking at the same time.
 */
export async function syncSubscription(
  context: Context,
  providerSubscriptionId: string,
): Promise<SubscriptionRow | undefined> {
  const { db, payments, wakeWorker } = context;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const claimed = await claimSync(db, providerSubscriptionId, payments.name);
    if (!claimed) {
      if (await adopt(context, providerSubscriptionId)) continue;
      return undefined;
    }
    const answer = await fetchAnswer(context, claimed);
    const written = await transaction(db, (trx) => applySync({ ...context, db: trx }, claimed, answer));
    if (!written) continue;
    wakeWorker();
    if (!written.isToEnd) return written.row;
    await endNow(context, providerSubscriptionId);
  }
  throw new AppError('conflict');
}

/**
 * The same for a call whose own work is done: when the provider does not answer just now, a job looks later, and
 * what is known stands until then.
 */
export async function refresh(context: Context, known: SubscriptionRow): Promise<SubscriptionRow> {
  const { db, log, wakeWorker } = context;
  try {
    return (await syncSubscription(context, known.providerSubscriptionId)) ?? known;
  } catch (error) {
    if (!isAppError(error)) throw error;
    log.warn({ err: error }, 'A subscription is looked at later.');
    await transaction(db, (trx) => enqueueSync(trx, known.providerSubscriptionId));
    wakeWorker();
    return known;
  }
}

/**
 * A user's subscription as the provider has it now; undefined when there is none, and none that has ended. Throws
 * AppError `payments_unavailable`.
 */
export async function syncCurrent(context: Context, userId: string): Promise<SubscriptionRow | undefined> {
  const { db, payments } = context;
  const known = await findCurrentSubscription(db, userId, payments.name);
  // Without an instant it was ended here only, while its provider could not be asked.
  if (!known || (known.status === 'ended' && known.endedAt !== null)) return known;
  await syncSubscription(context, known.providerSubscriptionId);
  return findCurrentSubscription(db, userId, payments.name);
}

async function fetchAnswer({ payments }: Context, claimed: SubscriptionRow): Promise<Answer> {
  const found = await payments.findSubscription(claimed.providerSubscriptionId);
  return { found, invoices: found ? await payments.listInvoices(found.customerId) : [] };
}

/** What must not go on is ended at the provider; if that fails now, a job tries until it has. */
async function endNow({ db, payments, wakeWorker }: Context, id: string): Promise<void> {
  try {
    await payments.end(id);
  } catch (error) {
    if (isAppError(error, 'payment_not_found')) return;
    await transaction(db, (trx) => enqueueSync(trx, id));
    wakeWorker();
    throw error;
  }
}

/** An event may come before the call that has begun it is through: its customer tells whose it is. */
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
