import { RETENTION } from '../../../../contracts/retention.ts';
import type { Context } from '../../../context.ts';
import type { SubscriptionRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { JobRun } from '../../../platform/jobs/define-job.ts';
import { DAY_MS } from '../../../platform/lib/clock.ts';
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
 * Looks at what may stand otherwise than is written here, so that a lost event costs nothing, and ends at the
 * provider what nobody will pay any more. Nothing is ended while the clock is not trusted. What the provider does not answer about keeps nothing else waiting: the next sweep asks again.
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

/** All that is due, then some of what has not been looked at for a day: of each, what a lost event would tell. */
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
    context.log.warn({ err: error, subscriptionId: due.id }, 'A subscription is looked at later.');
  }
}

/** Its grace is over, and a charge weeks later would surprise; or it was begun a day ago and never paid. */
async function endLost(context: Context, row: SubscriptionRow): Promise<void> {
  const { providerSubscriptionId: id, status, periodStartsAt, createdAt } = row;
  const now = context.clock.now();
  if (status === 'past_due' && !entitles(row, now)) await endSubscription(context, id);
  const isAttempt = status === 'incomplete' && periodStartsAt === null;
  if (!isAttempt || createdAt > now - ATTEMPT_LIVES_MS) return;
  if (!(await abandonAttempt(context, id))) await syncSubscription(context, id);
}

/**
 * Ends what was begun at another provider than the present one, when what is paid for is over: it cannot be asked
 * any more, and nobody is on a plan for ever that nobody pays. An attempt there ends within a day.
 */
async function endPastElsewhere(
  { db, clock, config, payments, security, log, wakeWorker }: Context,
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
          log.warn({ err: error, subscriptionId: row.id }, 'A subscription is ended later.'),
      );
    }
    isLast = rows.length < PAGE_SIZE;
    after = rows.at(-1)?.id ?? '';
  }
  wakeWorker();
}
