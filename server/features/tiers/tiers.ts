import {
  DEFAULT_TIER_CONFIG,
  FEATURES,
  type Feature,
  MAX_DOWNLOADS,
  maxDownloadsOf,
  TierConfig,
  type TierLimits,
  type TierName,
  tierIncludes,
  tierLabel,
} from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { selectSetting } from '../../platform/db/settings.ts';
import { AppError } from '../../platform/lib/app-error.ts';

/** The row of `settings` that holds the plans an administrator has changed. */
export const TIER_CONFIG_KEY = 'tier-config';

type Known = { text: string; config: TierConfig };
const lastRead = new WeakMap<Db, Known>();

/**
 * Limits and prices of the plans (specification section 9): the stored ones, else the defaults. Read at each
 * call, so that a change holds for the next request in every process; parsed only when the text has changed.
 */
export async function getTierConfig({ db }: Pick<Context, 'db'>): Promise<TierConfig> {
  const [row] = await selectSetting(db, TIER_CONFIG_KEY);
  if (!row) return DEFAULT_TIER_CONFIG;
  const known = lastRead.get(db);
  if (known?.text === row.value) return known.config;
  const config = TierConfig.parse(JSON.parse(row.value));
  lastRead.set(db, { text: row.value, config });
  return config;
}

/** Bytes per transfer, bytes per month and days of one plan. */
export function limitsOf(config: TierConfig, tier: TierName): TierLimits {
  return config[tier];
}

/** Throws AppError `tier_required`, naming the plan that has the feature. */
export function requireFeature(tier: TierName, feature: Feature): void {
  if (tierIncludes(tier, feature)) return;
  const { label, tier: firstTier } = FEATURES[feature];
  throw new AppError('tier_required', { details: { feature: label, tier: tierLabel(firstTier) } });
}

/**
 * Throws AppError `tier_required` for a download limit above what the plan lets its owner set, and `invalid_input`
 * above what any plan does.
 */
export function requireDownloadLimit(tier: TierName, limit: number): void {
  if (limit <= maxDownloadsOf(tier)) return;
  const feature = `A download limit above ${counts.format(MAX_DOWNLOADS.pro)}`;
  if (limit <= MAX_DOWNLOADS.premium)
    throw new AppError('tier_required', { details: { feature, tier: tierLabel('premium') } });
  const message = `The download limit can be at most ${counts.format(MAX_DOWNLOADS.premium)}.`;
  throw new AppError('invalid_input', { message, errors: { maxDownloads: message } });
}

const counts = new Intl.NumberFormat('en');
