import type { ErrorCode } from '../../../../contracts/errors.ts';
import { clampExpirationDays } from '../../../../contracts/plans/limits.ts';
import {
  findAutoDeleteError,
  findExcludedSetting,
  findExpiryError,
  findScheduleError,
  latestExpiry,
  parseInstant,
  resolveExpiry,
} from '../../../../contracts/transfers/settings/settings-rules.ts';
import type { TransferSettings, UpdateTransferInput } from '../../../../contracts/transfers/transfers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow, UserRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { hashPassword } from '../../accounts/index.ts';
import { getTierConfig, limitsOf, requireDownloadLimit, requireFeature } from '../../tiers/index.ts';
import { type SettingsColumns, updateUnsettledDraft } from '../lifecycle/draft-queries.ts';

export type DecidedSettings = SettingsColumns;

export type EditedColumns = Partial<
  Pick<
    TransferRow,
    | 'title'
    | 'message'
    | 'expiresAt'
    | 'isExpired'
    | 'scheduledAvailableAt'
    | 'passwordHash'
    | 'maxDownloads'
    | 'autoDeleteAfterDownloads'
  >
>;

type PaidSettings = Pick<
  UpdateTransferInput,
  'password' | 'maxDownloads' | 'scheduledAvailableAt' | 'autoDeleteAfterDownloads'
>;
type PaidColumns = Pick<
  TransferRow,
  'passwordHash' | 'maxDownloads' | 'scheduledAvailableAt' | 'autoDeleteAfterDownloads'
>;

const NO_SETTINGS: PaidColumns = {
  passwordHash: null,
  maxDownloads: null,
  scheduledAvailableAt: null,
  autoDeleteAfterDownloads: 0,
};

/**
 * Refuses settings that the plan does not include, because ignoring them would leave the link unprotected. Existing
 * settings may stay after a downgrade, and removing a setting is always allowed. Throws AppError `tier_required`.
 */
export function requireIncludedSettings(
  { tier }: Pick<UserRow, 'tier'>,
  settings: PaidSettings,
  current: PaidColumns = NO_SETTINGS,
): void {
  const excluded = findExcludedSetting(settings, tier, {
    password: current.passwordHash !== null,
    maxDownloads: current.maxDownloads !== null,
    schedule: current.scheduledAvailableAt !== null,
    autoDelete: current.autoDeleteAfterDownloads === 1,
  });
  if (excluded) requireFeature(tier, excluded);
  const { maxDownloads } = settings;
  if (maxDownloads && maxDownloads !== current.maxDownloads) requireDownloadLimit(tier, maxDownloads);
}

/**
 * Decides by the owner's current plan. Hashes the password, so call it outside transactions. Throws AppError
 * `tier_required`, `expiry_in_past`, `schedule_after_expiry`, `auto_delete_needs_limit`.
 */
export async function decideSettings(
  context: Pick<Context, 'db' | 'clock'>,
  user: Pick<UserRow, 'id' | 'tier'>,
  settings: TransferSettings,
): Promise<DecidedSettings> {
  requireIncludedSettings(user, settings);
  const maxDownloads = settings.maxDownloads ?? null;
  refuse(findAutoDeleteError({ autoDelete: settings.autoDeleteAfterDownloads, maxDownloads }));
  const { retentionDays } = limitsOf(await getTierConfig(context), user.tier);
  const now = context.clock.now();
  const expirationDays = clampExpirationDays(settings.expirationDays, retentionDays);
  const expiresAt = decideExpiry({ expiresAt: settings.expiresAt, expirationDays }, { retentionDays, now });
  const { scheduledAvailableAt: schedule } = settings;
  const scheduledAvailableAt = schedule === undefined ? null : parseInstant(schedule);
  refuse(findScheduleError(scheduledAvailableAt, expiresAt));
  return {
    title: settings.title || null,
    message: settings.message || null,
    recipientEmails: JSON.stringify(settings.recipientEmails ?? []),
    expiresAt,
    scheduledAvailableAt,
    passwordHash:
      settings.password === undefined ? null : await hashPassword(settings.password, { account: user.id }),
    maxDownloads,
    autoDeleteAfterDownloads: settings.autoDeleteAfterDownloads ? 1 : 0,
  };
}

export async function applySettings(
  trx: Trx,
  transferId: string,
  { settings, fileCount }: { settings: DecidedSettings; fileCount: number | undefined },
): Promise<boolean> {
  return updateUnsettledDraft(trx, transferId, { ...settings, expectedFiles: fileCount ?? 1 });
}

export function listDecidedEmails({ recipientEmails }: DecidedSettings): string[] {
  return JSON.parse(recipientEmails) as string[];
}

type Rights = {
  retentionDays: number;
  now: number;
  /** null removes the password, undefined keeps it. */
  passwordHash: string | null | undefined;
};

/** Throws AppError `expiry_in_past`, `schedule_after_expiry`, `auto_delete_needs_limit`. */
export function decideEdits(
  transfer: TransferRow,
  changes: UpdateTransferInput,
  rights: Rights,
): EditedColumns {
  const { title, message } = changes;
  return {
    ...(title !== undefined && { title: title || null }),
    ...(message !== undefined && { message: message || null }),
    ...(rights.passwordHash !== undefined && { passwordHash: rights.passwordHash }),
    ...decideTimes(transfer, changes, rights),
    ...decideLimit(transfer, changes),
  };
}

function decideTimes(
  transfer: TransferRow,
  changes: UpdateTransferInput,
  { retentionDays, now }: Rights,
): EditedColumns {
  const { scheduledAvailableAt: schedule } = changes;
  const changesExpiry = changes.expiresAt !== undefined || changes.expirationDays !== undefined;
  const expiresAt = changesExpiry
    ? decideExpiry(changes, { retentionDays, now, current: transfer.expiresAt })
    : transfer.expiresAt;
  const scheduledAvailableAt =
    schedule === undefined
      ? transfer.scheduledAvailableAt
      : schedule === null
        ? null
        : parseInstant(schedule);
  if (expiresAt !== transfer.expiresAt || schedule !== undefined)
    refuse(findScheduleError(scheduledAvailableAt, expiresAt));
  return {
    ...(schedule !== undefined && { scheduledAvailableAt }),
    ...(expiresAt !== transfer.expiresAt && { expiresAt, isExpired: 0 }),
  };
}

/** Auto-delete needs a limit, so removing the limit turns it off. */
function decideLimit(transfer: TransferRow, changes: UpdateTransferInput): EditedColumns {
  const { maxDownloads: limit, autoDeleteAfterDownloads: autoDelete } = changes;
  const maxDownloads = limit === undefined ? transfer.maxDownloads : limit;
  refuse(findAutoDeleteError({ autoDelete, maxDownloads }));
  return {
    ...(limit !== undefined && { maxDownloads }),
    ...(autoDelete !== undefined && { autoDeleteAfterDownloads: autoDelete ? 1 : 0 }),
    ...(limit === null && { autoDeleteAfterDownloads: 0 }),
  };
}

/**
 * An expiry beyond the plan's retention becomes the latest allowed one. A later expiry that a previous plan allowed
 * stays. Throws AppError `expiry_in_past`.
 */
function decideExpiry(
  wanted: Pick<TransferSettings, 'expiresAt' | 'expirationDays'>,
  limits: { retentionDays: number; now: number; current?: number | null },
): number {
  const latest = latestExpiry(limits);
  const expiresAt = resolveExpiry(wanted, limits) ?? latest;
  refuse(findExpiryError(expiresAt, limits.now));
  return Math.min(expiresAt, latest);
}

function refuse(code: ErrorCode | undefined): void {
  if (code) throw new AppError(code);
}
