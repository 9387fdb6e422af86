import type { Context } from '../../context.ts';
import { discountedCents } from '../../platform/payments/calculations.ts';
import { entitles } from './entitlement.ts';
import { listPaying } from './revenue-queries.ts';

/**
 * Cents that running subscriptions bring a month, after discounts. Free months bring nothing yet, a failed payment
 * counts within its grace, a cancelled subscription until it ends.
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
