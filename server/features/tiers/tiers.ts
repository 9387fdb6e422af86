import type { FieldErrors } from '../../../contracts/errors.ts';
import {
  DEFAULT_TIER_CONFIG,
  FEATURES,
  type Feature,
  MAX_DOWNLOADS,
  maxDownloadsOf,
  TIERS,
  TierConfig,
  type TierLimits,
  type TierName,
  tierIncludes,
  tierLabel,
  type UpdateTierConfigInput,
} from '../../../contracts/plans/tiers.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { GIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { selectSetting, upsertSetting } from '../../platform/db/settings.ts';
import { msg } from '../../platform/language/marker.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';

export const TIER_CONFIG_KEY = 'tier-config';

/** Keeps sums over many users within safe integers. */
const LIMIT_MAX = 1_024 * 1_024 * GIB;

/** Dollars; the payment provider's maximum. */
const PRICE_MAX = 999_999.99;

type Known = { text: string; config: TierConfig };
const lastRead = new WeakMap<Db, Known>();
/**
 * Returns the stored limits and prices, or the defaults. Read on every call, so that a change applies to the next
 * request in every process; parsed only when the text has changed.
 */
export async function getTierConfig({ db }: Pick<Context, 'db'>): Promise<TierConfig> {
  const [row] = await selectSetting(db, TIER_CONFIG_KEY);
  if (!row) return DEFAULT_TIER_CONFIG;
  const known = lastRead.get(db);
  if (known?.text === row.value) return known.config;
  const config = parseStored(row.value);
  lastRead.set(db, { text: row.value, config });
  return config;
}

/** Limits that earlier releases did not store have their defaults. */
function parseStored(text: string): TierConfig {
  const stored = JSON.parse(text) as Record<TierName, object>;
  const complete = TIERS.map((tier) => [tier, { ...DEFAULT_TIER_CONFIG[tier], ...stored[tier] }]);
  return TierConfig.parse(Object.fromEntries(complete));
}

/**
 * Changes apply from the next request; running subscriptions keep their price. Throws AppError `invalid_input` with a
 * sentence per field.
 */
export async function changeTierConfig(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  changes: UpdateTierConfigInput,
): Promise<TierConfig> {
  const { free, pro, premium } = await getTierConfig({ db: trx });
  const config: TierConfig = {
    free: { ...changes.free, encryption: changes.free.encryption ?? free.encryption },
    pro: { ...changes.pro, encryption: changes.pro.encryption ?? pro.encryption },
    premium: { ...changes.premium, encryption: changes.premium.encryption ?? premium.encryption },
  };
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
      if (bytes > LIMIT_MAX) errors[`${tier}.${field}`] = msg('Please enter at most 1,024 TB');
  }
  for (const tier of ['pro', 'premium'] as const) {
    const { price } = config[tier];
    if (price > PRICE_MAX) errors[`${tier}.price`] = msg('Please enter a price below 1,000,000 dollars');
    else if (!isWholeCents(price))
      errors[`${tier}.price`] = msg('Please enter a price with at most two decimals');
  }
  return errors;
}

/** Allows for binary fractions: 9.99 * 100 is not exactly 999. */
function isWholeCents(dollars: number): boolean {
  return Math.abs(dollars * 100 - Math.round(dollars * 100)) < 1e-6;
}

export function limitsOf(config: TierConfig, tier: TierName): TierLimits {
  return config[tier];
}

/** Throws AppError `encryption_required`, `encryption_forbidden`. */
export function requireEncryptionPolicy({ encryption: policy }: TierLimits, isEncrypted: boolean): void {
  if (policy === 'required' && !isEncrypted) throw new AppError('encryption_required');
  if (policy === 'forbidden' && isEncrypted) throw new AppError('encryption_forbidden');
}

/** Throws AppError `tier_required`, which names the plan that includes the feature. */
export function requireFeature(tier: TierName, feature: Feature): void {
  if (tierIncludes(tier, feature)) return;
  const { label, tier: firstTier } = FEATURES[feature];
  throw new AppError('tier_required', { details: { feature: label, tier: tierLabel(firstTier) } });
}

/**
 * Throws AppError `tier_required` for a download limit above the plan's maximum, and `invalid_input` above every
 * plan's maximum.
 */
export function requireDownloadLimit(tier: TierName, limit: number): void {
  if (limit <= maxDownloadsOf(tier)) return;
  const feature = `A download limit above ${formatCount(MAX_DOWNLOADS.pro)}`;
  if (limit <= MAX_DOWNLOADS.premium)
    throw new AppError('tier_required', { details: { feature, tier: tierLabel('premium') } });
  const message = `The download limit can be at most ${formatCount(MAX_DOWNLOADS.premium)}.`;
  throw new AppError('invalid_input', { message, errors: { maxDownloads: message } });
}
