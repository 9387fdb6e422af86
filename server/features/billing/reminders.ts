import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { lockAccount } from '../accounts/index.ts';
import { enqueuePlanEndingReminder, enqueueRenewalReminder } from './emails.ts';
import { nextChargeOf } from './presenter.ts';
import { listToRemind, takeReminder } from './reminder-queries.ts';

const LEAD_MS = 3 * DAY_MS;

/** Reminds, three days before and once for each period, of a first charge and of the end of a cancelled plan. */
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
      const row = await takeReminder(trx, id, span);
      if (row) await remind({ ...context, db: trx }, row);
    }).catch((error: unknown) => log.warn({ err: error, subscriptionId: id }, 'A reminder was not sent.'));
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
