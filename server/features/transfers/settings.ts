import { clampExpirationDays } from '../../../contracts/plans/limits.ts';
import type { TransferSettings } from '../../../contracts/transfers/transfers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { hashPassword } from '../accounts/index.ts';
import { getTierConfig, limitsOf, requireDownloadLimit, requireFeature } from '../tiers/index.ts';
import { type SettingsColumns, updateUnsettledDraft } from './draft-queries.ts';

export type DecidedSettings = SettingsColumns;

/**
 * Refuses what the plan does not include (decisions, "Uploads"): never a silently open link.
 * Throws AppError `tier_required`.
 */
export function requireIncludedSettings(user: Pick<UserRow, 'tier'>, settings: TransferSettings): void {
  if (settings.password !== undefined) requireFeature(user.tier, 'password');
  if (settings.maxDownloads !== undefined) {
    requireFeature(user.tier, 'maxDownloads');
    requireDownloadLimit(user.tier, settings.maxDownloads);
  }
  if (settings.scheduledAvailableAt !== undefined) requireFeature(user.tier, 'schedule');
  if (settings.autoDeleteAfterDownloads) requireFeature(user.tier, 'autoDelete');
}

/**
 * Turns wishes into columns, by the rights of this moment. Call it before any transaction: it hashes the
 * password. Throws AppError `tier_required`, `expiry_in_past`, `schedule_after_expiry`, `auto_delete_needs_limit`.
 */
export async function decideSettings(
  context: Pick<Context, 'db' | 'clock'>,
  user: Pick<UserRow, 'id' | 'tier'>,
  settings: TransferSettings,
): Promise<DecidedSettings> {
  requireIncludedSettings(user, settings);
  if (settings.autoDeleteAfterDownloads && settings.maxDownloads === undefined)
    throw new AppError('auto_delete_needs_limit');
  const { retentionDays } = limitsOf(await getTierConfig(context), user.tier);
  const expiresAt = decideExpiry(settings, retentionDays, context.clock.now());
  const scheduledAvailableAt = toInstant(settings.scheduledAvailableAt);
  if (scheduledAvailableAt !== null && scheduledAvailableAt >= expiresAt)
    throw new AppError('schedule_after_expiry');
  return {
    title: settings.title || null,
    message: settings.message || null,
    recipientEmails: JSON.stringify(settings.recipientEmails ?? []),
    expiresAt,
    scheduledAvailableAt,
    passwordHash:
      settings.password === undefined ? null : await hashPassword(settings.password, { account: user.id }),
    maxDownloads: settings.maxDownloads ?? null,
    autoDeleteAfterDownloads: settings.autoDeleteAfterDownloads ? 1 : 0,
  };
}

/**
 * Writes what was decided, with the number of files the draft waits for (1 unless told).
 * Has an effect for the first complete of a draft only; returns whether it was that.
 */
export async function applySettings(
  trx: Trx,
  transferId: string,
  { settings, fileCount }: { settings: DecidedSettings; fileCount: number | undefined },
): Promise<boolean> {
  return updateUnsettledDraft(trx, transferId, { ...settings, expectedFiles: fileCount ?? 1 });
}

/** Whom the sender wants mailed. */
export function listDecidedEmails({ recipientEmails }: DecidedSettings): string[] {
  return JSON.parse(recipientEmails) as string[];
}

/** An exact end goes before a number of days; neither outlives the plan's retention. */
function decideExpiry(settings: TransferSettings, retentionDays: number, now: number): number {
  const latest = now + clampExpirationDays(undefined, retentionDays) * DAY_MS;
  const exact = toInstant(settings.expiresAt);
  if (exact === null) return now + clampExpirationDays(settings.expirationDays, retentionDays) * DAY_MS;
  if (exact <= now) throw new AppError('expiry_in_past');
  return Math.min(exact, latest);
}

/** Fractions of a millisecond are cut: instants are stored whole. */
export function toInstant(iso: string | undefined): number | null {
  return iso === undefined ? null : Math.floor(Date.parse(iso));
}
