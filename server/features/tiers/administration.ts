import type { FieldErrors } from '../../../contracts/errors.ts';
import { TIERS, type TierConfig } from '../../../contracts/plans/tiers.ts';
import { GIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { upsertSetting } from '../../platform/db/settings.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';

import { TIER_CONFIG_KEY } from './tiers.ts';

/** So that sums over many people stay whole numbers. */
const LIMIT_MAX = 1_024 * 1_024 * GIB;
/** Dollars; what the payment provider takes at most. */
const PRICE_MAX = 999_999.99;

/**
 * Stores limits and prices of the plans; they hold from the next request on. What runs at the payment provider
 * keeps its price. Throws AppError `invalid_input` with a sentence per field.
 */
export async function changeTierConfig(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  config: TierConfig,
): Promise<TierConfig> {
  const errors = findErrors(config);
  const [message] = Object.values(errors);
  if (message) throw new AppError('invalid_input', { message, errors });
  const row = { value: JSON.stringify(config), updatedAt: clock.now() };
  await upsertSetting(trx, { id: randomId(), key: TIER_CONFIG_KEY, ...row });
  return config;
}

function findErrors(config: TierConfig): FieldErrors {
  const errors: FieldErrors = {};
  for (const tier of TIERS) {
    const { storagePerTransfer, monthlyTotal } = config[tier];
    for (const [field, bytes] of Object.entries({ storagePerTransfer, monthlyTotal }))
      if (bytes > LIMIT_MAX) errors[`${tier}.${field}`] = 'Please give at most 1,024 TB';
  }
  for (const tier of ['pro', 'premium'] as const) {
    const { price } = config[tier];
    if (price > PRICE_MAX) errors[`${tier}.price`] = 'Please give a price below 1,000,000 dollars';
    else if (!isWholeCents(price)) errors[`${tier}.price`] = 'Please give a price with at most two decimals';
  }
  return errors;
}

/** As far as binary fractions tell: 9.99 is, 9.995 is not. */
function isWholeCents(dollars: number): boolean {
  return Math.abs(dollars * 100 - Math.round(dollars * 100)) < 1e-6;
}
