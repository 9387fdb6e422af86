import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { JobRun } from '../../../platform/jobs/define-job.ts';
import { releaseStaleReservations } from '../coupons/coupons.ts';
import { entitles } from '../plan-rules.ts';
import { deleteEventsBefore } from '../queries.ts';
import { abandonAttempt, endSubscription } from '../subscription/end-subscription.ts';
import { endPast } from './apply-sync.ts';
import { listDue, listPast, listUnseen } from './sweep-queries.ts';
import { syncSubscription } from './sync.ts';

const PAGE_SIZE = 100;
const ATTEMPT_LIVES_MS = DAY_MS;
const EVENTS_KEPT_MS = RETENTION.paymentEventDays * DAY_MS;

/**
 * Syncs subscriptions that may have changed, in case an event was lost, and ends those that can no longer be paid.
 * Ends nothing while the clock is not trusted. A failed sync doesn't block others; the next sweep retries it.
 */
export async function sweepSubscriptions(
  context: Context,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const { db, clock } = context;
  const mayEnd = (await context.clockGuard.findTrustedNow()) !== undefined;
  if (mayEnd) {
    await endPastElsewhere(context, signal);
    await releaseStaleReservations(context);
    await deleteEventsBefore(db, clock.now() - EVENTS_KEPT_MS);
  }
  for await (const row of listToSync(context)) {
    if (signal.aborted) return;
    await sweepOne(context, row, { mayEnd });
  }
}

/** Lists all subscriptions that are due, then some that were not synced for a day, in case an event was lost. */
async function* listToSync({ db, payments, clock }: Context): AsyncGenerator<SubscriptionRow> {
  const now = clock.now();
  const { name: provider } = payments;
  for (let after = '', isLast = false; !isLast; ) {
    const rows = await listDue(db, { provider, now }, { after, limit: PAGE_SIZE });
    yield* rows;
    isLast = rows.length < PAGE_SIZE;
    after = rows.at(-1)?.id ?? '';
  }
  yield* await listUnseen(db, { provider, before: now - DAY_MS, limit: PAGE_SIZE });
}

async function sweepOne(
  context: Context,
  due: SubscriptionRow,
  { mayEnd }: { mayEnd: boolean },
): Promise<void> {
  try {
    const row = await syncSubscription(context, due.providerSubscriptionId);
    if (row && mayEnd) await endLost(context, row);
  } catch (error) {
    context.log.warn({ err: error, subscriptionId: due.id }, 'Subscription sync failed; retrying later.');
  }
}

/** Ends a plan whose grace period is over, or an attempt that was not paid within a day. */
async function endLost(context: Context, row: SubscriptionRow): Promise<void> {
  const { providerSubscriptionId: id, status, periodStartsAt, createdAt } = row;
  const now = context.clock.now();
  if (status === 'past_due' && !entitles(row, now)) await endSubscription(context, id);
  const isAttempt = status === 'incomplete' && periodStartsAt === null;
  if (!isAttempt || createdAt > now - ATTEMPT_LIVES_MS) return;
  if (!(await abandonAttempt(context, id))) await syncSubscription(context, id);
}

/**
 * Ends subscriptions of a former provider once the paid period is over, because the provider can no longer be polled.
 * Attempts end within a day.
 */
async function endPastElsewhere(
  { db, clock, config, payments, security, log }: Context,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const past = { provider: payments.name, now, begunBy: now - DAY_MS };
  for (let after = '', isLast = false; !isLast; ) {
    const rows = await listPast(db, past, { after, limit: PAGE_SIZE });
    for (const row of rows) {
      if (signal.aborted) return;
      await transaction(db, (trx) => endPast({ clock, config, security, db: trx }, row, past)).catch(
        (error: unknown) =>
          log.warn({ err: error, subscriptionId: row.id }, 'Could not end a subscription; retrying later.'),
      );
    }
    isLast = rows.length < PAGE_SIZE;
    after = rows.at(-1)?.id ?? '';
  }
}
