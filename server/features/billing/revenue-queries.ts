import type { Db } from '../../platform/db/open.ts';
import type { SubscriptionRow } from '../../platform/db/schema.ts';

type Paying = Pick<SubscriptionRow, 'status' | 'graceEndsAt' | 'priceCents' | 'discountPercent'> & {
  count: number;
};

/** Running subscriptions that are charged, those alike counted together. */
export async function listPaying(db: Db, provider: SubscriptionRow['provider']): Promise<Paying[]> {
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
