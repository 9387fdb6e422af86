import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { SubscriptionRow, UserRow } from '../../platform/db/schema.ts';
import { discountedCents } from '../../platform/payments/calculations.ts';
import { enqueuePaymentFailedMail, enqueuePlanEndedMail, enqueueReceiptMail } from './emails.ts';
import { entitles } from './entitlement.ts';
import { findOpenAmount, takeReceipts } from './invoice-queries.ts';

type Change = {
  before: SubscriptionRow;
  row: SubscriptionRow;
  /** Its owner is on the free plan from now on. */
  hasFallen: boolean;
};

/** Mails its owner what a look at a subscription has brought: receipts, a failed payment, the end. */
export async function tellOfChange(
  { db: trx, clock, config }: Pick<Context, 'clock' | 'config'> & { db: Trx },
  owner: UserRow,
  { before, row, hasFallen }: Change,
): Promise<void> {
  const now = clock.now();
  const mail = { user: owner, tier: row.tier, publicUrl: config.publicUrl, createdAt: now };
  const renewsAt = row.cancelAtPeriodEnd || row.status === 'ended' ? null : row.renewsAt;
  for (const { tier, amountCents, periodStartsAt, periodEndsAt } of await takeReceipts(trx, owner.id, now))
    await enqueueReceiptMail(trx, { ...mail, tier, amountCents, periodStartsAt, periodEndsAt, renewsAt });
  const hasFailed = row.status === 'past_due' && before.status !== 'past_due';
  if (hasFailed && entitles(row, now)) {
    const amountCents =
      (await findOpenAmount(trx, row.providerSubscriptionId)) ??
      discountedCents(row.priceCents, row.discountPercent);
    await enqueuePaymentFailedMail(trx, { ...mail, amountCents, graceEndsAt: row.graceEndsAt! });
  }
  if (hasFallen) await enqueuePlanEndedMail(trx, mail);
}
