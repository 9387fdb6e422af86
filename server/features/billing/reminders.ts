import type { ExpressionBuilder } from 'kysely';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { Database, SubscriptionRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { lockAccount } from '../accounts/index.ts';
import { enqueuePlanEndingReminder, enqueueRenewalReminder } from './emails.ts';
import { nextChargeOf } from './subscription/subscription-view.ts';

const LEAD_MS = 3 * DAY_MS;

/** Sends reminders of a first charge and of the end of a canceled plan, three days ahead and once per period. */
export async function remindOfPeriodEnds(
  context: Context,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const { db, clock, payments, log } = context;
  const now = clock.now();
  const span = { now, until: now + LEAD_MS, provider: payments.name };
  for (const id of await listToRemind(db, span)) {
    if (signal.aborted) return;
    await transaction(db, async (trx) => {
      const row = await claimReminder(trx, id, span);
      if (row) await remind({ ...context, db: trx }, row);
    }).catch((error: unknown) =>
      log.warn({ err: error, subscriptionId: id }, 'Could not enqueue a renewal reminder.'),
    );
  }
}

async function remind(
  { db: trx, clock, config }: Pick<Context, 'clock' | 'config'> & { db: Trx },
  row: SubscriptionRow,
): Promise<void> {
  const user = await lockAccount(trx, row.userId);
  if (!user) return;
  const mail = { user, tier: row.tier, publicUrl: config.publicUrl, createdAt: clock.now() };
  const amountCents = nextChargeOf(row);
  if (row.cancelAtPeriodEnd) await enqueuePlanEndingReminder(trx, { ...mail, endsAt: row.renewsAt! });
  else if (amountCents > 0)
    await enqueueRenewalReminder(trx, { ...mail, amountCents, chargedAt: row.renewsAt! });
}

/** Periods that end after `now`, up to `until`. Only the current provider can charge. */
type Span = { now: Instant; until: Instant; provider: SubscriptionRow['provider'] };

async function listToRemind(db: Db, span: Span): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('id')
    .where((eb) => isReminderDue(eb, span))
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns undefined if the owner was already reminded or the plan changed in the meantime. */
async function claimReminder(trx: Trx, id: string, span: Span): Promise<SubscriptionRow | undefined> {
  return trx
    .updateTable('subscriptions')
    .set((eb) => ({ remindedOf: eb.ref('renewsAt') }))
    .where('id', '=', id)
    .where((eb) => isReminderDue(eb, span))
    .returningAll()
    .executeTakeFirst();
}

function isReminderDue(eb: ExpressionBuilder<Database, 'subscriptions'>, { now, until, provider }: Span) {
  return eb.and([
    eb('status', 'in', ['active', 'trialing']),
    eb('renewsAt', '>', now),
    eb('renewsAt', '<=', until),
    eb.or([
      eb('cancelAtPeriodEnd', '=', 1),
      eb.and([eb('status', '=', 'trialing'), eb('provider', '=', provider)]),
    ]),
    eb.or([eb('remindedOf', 'is', null), eb('remindedOf', '!=', eb.ref('renewsAt'))]),
  ]);
}
