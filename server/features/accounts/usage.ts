import type { Context } from '../../context.ts';
import { monthOf } from '../../platform/lib/clock.ts';
import { selectMonthlyUsage } from './queries.ts';

/** Bytes completed or reserved in this calendar month (UTC). */
export async function getUsageOfMonth(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: string,
): Promise<number> {
  return selectMonthlyUsage(db, userId, monthOf(clock.now()));
}
