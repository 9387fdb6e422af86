import type { TierConfig } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { changeTierConfig, getTierConfig } from '../tiers/index.ts';
import { type By, noteAct } from './audit.ts';

/**
 * Limits hold from the next request on, prices for subscriptions that begin or change from now on. Throws
 * AppError `invalid_input`.
 */
export async function updateTierConfig(
  context: Pick<Context, 'db' | 'clock'>,
  by: By,
  config: TierConfig,
): Promise<TierConfig> {
  return transaction(context.db, async (trx) => {
    const from = await getTierConfig({ db: trx });
    const to = await changeTierConfig({ ...context, db: trx }, config);
    const subject = 'Limits and prices of the plans';
    await noteAct(trx, { ...by, action: 'tier-config.update', subject, details: { from, to } });
    return to;
  });
}
