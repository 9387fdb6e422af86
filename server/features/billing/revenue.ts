import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';
import { discountedCents } from '../../platform/payments/calculations.ts';
import { entitles } from './plan-rules.ts';

/**
 * The monthly revenue in cents, after discounts. Free months count as zero, a failed payment counts during its grace
 * period, and a canceled subscription counts until it ends.
 */
export async function computeMonthlyRevenueCents({
  db,
  clock,
  payments,
}: Pick<Context, 'db' | 'clock' | 'payments'>): Promise<number> {
  const now = clock.now();
  const paying = await listPaying(db, payments.name);
  return paying
    .filter((each) => entitles(each, now))
    .reduce((sum, { priceCents, discountPercent, count }) => {
      return sum + discountedCents(priceCents, discountPercent) * count;
    }, 0);
}

type Paying = Pick<SubscriptionRow, 'status' | 'graceEndsAt' | 'priceCents' | 'discountPercent'> & {
  count: number;
};

async function listPaying(db: Db, provider: SubscriptionRow['provider']): Promise<Paying[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['status', 'graceEndsAt', 'priceCents', 'discountPercent'])
    .select(({ fn }) => fn.countAll().as('count'))
    .where('provider', '=', provider)
    .where('status', 'in', ['active', 'past_due'])
    .groupBy(['status', 'graceEndsAt', 'priceCents', 'discountPercent'])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
