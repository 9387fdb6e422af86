import { clampExpirationDays } from '../../plans/limits.ts';
import { describeTooManyDownloads, maxDownloadsOf, type TierName, tierIncludes } from '../../plans/tiers.ts';
import { DAY_MS, MINUTE_MS } from '../../values/durations.ts';

/**
 * Rules shared by the pages, the CLI and the server. Times are epoch milliseconds unless the name or type says
 * otherwise.
 */

/** Date and time fields have no seconds, so their values may be up to a minute off. */
const FIELD_TOLERANCE_MS = MINUTE_MS;

/** In the order of the checks. */
const PAID_SETTINGS = ['password', 'maxDownloads', 'schedule', 'autoDelete'] as const;
export type PaidSetting = (typeof PAID_SETTINGS)[number];

/** A downgrade keeps the paid settings of existing transfers. */
export type ExistingSettings = Partial<Record<PaidSetting, boolean>>;

type WantedSettings = {
  password?: unknown;
  maxDownloads?: unknown;
  scheduledAvailableAt?: unknown;
  autoDeleteAfterDownloads?: unknown;
};

/** True if the plan includes the setting or the transfer already has it. */
export function canSet(setting: PaidSetting, tier: TierName, existing: ExistingSettings = {}): boolean {
  return existing[setting] === true || tierIncludes(tier, setting);
}

/** Returns the first setting that `canSet` rules out. Removing a setting (null, false, '') is always allowed. */
export function findExcludedSetting(
  wanted: WantedSettings,
  tier: TierName,
  existing?: ExistingSettings,
): PaidSetting | undefined {
  const isWanted: Record<PaidSetting, unknown> = {
    password: wanted.password,
    maxDownloads: wanted.maxDownloads,
    schedule: wanted.scheduledAvailableAt,
    autoDelete: wanted.autoDeleteAfterDownloads,
  };
  return PAID_SETTINGS.find((setting) => isWanted[setting] && !canSet(setting, tier, existing));
}

export function maxExpirationDays(retentionDays: number): number {
  return clampExpirationDays(undefined, retentionDays);
}

export function isAllowedExpirationDays(days: number, retentionDays: number): boolean {
  return Number.isInteger(days) && days >= 1 && days <= maxExpirationDays(retentionDays);
}

type ExpiryLimits = { now: number; retentionDays: number; current?: number | null };

/** The plan's retention from now, or the current expiry if that is later. */
export function latestExpiry({ now, retentionDays, current }: ExpiryLimits): number {
  return Math.max(now + maxExpirationDays(retentionDays) * DAY_MS, current ?? 0);
}

type ExpiryWish = { expiresAt?: string | undefined; expirationDays?: number | undefined };

/**
 * The expiry before `latestExpiry` limits it. An exact time takes precedence over days; without either, the current
 * expiry stays. Null: never.
 */
export function resolveExpiry(
  { expiresAt, expirationDays }: ExpiryWish,
  { now, current = null }: Pick<ExpiryLimits, 'now' | 'current'>,
): number | null {
  if (expiresAt) return parseInstant(expiresAt);
  return expirationDays ? now + expirationDays * DAY_MS : current;
}

/** Whole milliseconds; NaN if the text is not a time. */
export function parseInstant(iso: string): number {
  return Math.floor(Date.parse(iso));
}

export function findExpiryError(expiresAt: number, now: number): 'expiry_in_past' | undefined {
  return expiresAt <= now ? 'expiry_in_past' : undefined;
}

/** The schedule must be before the expiry. Null: none. */
export function findScheduleError(
  opensAt: number | null,
  expiresAt: number | null,
): 'schedule_after_expiry' | undefined {
  if (opensAt === null || expiresAt === null) return undefined;
  return opensAt >= expiresAt ? 'schedule_after_expiry' : undefined;
}

type DownloadLimit = { maxDownloads: number | null | undefined; downloadCount?: number };

export function findLimitError({
  maxDownloads,
  downloadCount = 0,
}: DownloadLimit): 'limit_below_downloads' | undefined {
  return maxDownloads && maxDownloads < downloadCount ? 'limit_below_downloads' : undefined;
}

type AutoDelete = { autoDelete: boolean | undefined; maxDownloads: unknown };

export function findAutoDeleteError({
  autoDelete,
  maxDownloads,
}: AutoDelete): 'auto_delete_needs_limit' | undefined {
  return autoDelete && !maxDownloads ? 'auto_delete_needs_limit' : undefined;
}

export function describeLateExpiry(expiresAt: number, limits: ExpiryLimits): string | undefined {
  if (expiresAt <= latestExpiry(limits) + FIELD_TOLERANCE_MS) return undefined;
  return `Your plan keeps transfers for at most ${maxExpirationDays(limits.retentionDays)} days.`;
}

export function describePastSchedule(opensAt: number, now: number): string | undefined {
  return opensAt < now - FIELD_TOLERANCE_MS ? 'This time has passed. Please choose a later one.' : undefined;
}

export function describeDownloadLimit(limit: number, tier: TierName): string | undefined {
  if (!Number.isInteger(limit)) return 'Please enter a whole number.';
  return limit > maxDownloadsOf(tier) ? describeTooManyDownloads(tier) : undefined;
}
