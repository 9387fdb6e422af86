import { clampExpirationDays } from '../../../../contracts/plans/limits.ts';
import type { TransferSettings, UpdateTransferInput } from '../../../../contracts/transfers/transfers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow, UserRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { DAY_MS } from '../../../platform/lib/clock.ts';
import { hashPassword } from '../../accounts/index.ts';
import { getTierConfig, limitsOf, requireDownloadLimit, requireFeature } from '../../tiers/index.ts';
import { type SettingsColumns, updateUnsettledDraft } from '../lifecycle/draft-queries.ts';

export type DecidedSettings = SettingsColumns;

/** The columns a change of settings may touch. */
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

const NOTHING_YET: PaidColumns = {
  passwordHash: null,
  maxDownloads: null,
  scheduledAvailableAt: null,
  autoDeleteAfterDownloads: 0,
};

/**
 * Refuses settings that the plan does not include: never a silently open link. What the transfer already has may
 * stay after a downgrade, and removing a setting is always allowed. Throws AppError `tier_required`.
 */
export function requireIncludedSettings(
  { tier }: Pick<UserRow, 'tier'>,
  settings: PaidSettings,
  current: PaidColumns = NOTHING_YET,
): void {
  const { password, maxDownloads, scheduledAvailableAt, autoDeleteAfterDownloads } = settings;
  if (password && current.passwordHash === null) requireFeature(tier, 'password');
  if (maxDownloads && current.maxDownloads === null) requireFeature(tier, 'maxDownloads');
  if (maxDownloads && maxDownloads !== current.maxDownloads) requireDownloadLimit(tier, maxDownloads);
  if (scheduledAvailableAt && current.scheduledAvailableAt === null) requireFeature(tier, 'schedule');
  if (autoDeleteAfterDownloads && current.autoDeleteAfterDownloads === 0) requireFeature(tier, 'autoDelete');
}

/**
 * Turns the settings of a new transfer into columns, by the rights of this moment. Call it before any transaction: it
 * hashes the password. Throws AppError `tier_required`, `expiry_in_past`, `schedule_after_expiry`,
 * `auto_delete_needs_limit`.
 */
export async function decideSettings(
  context: Pick<Context, 'db' | 'clock'>,
  user: Pick<UserRow, 'id' | 'tier'>,
  settings: TransferSettings,
): Promise<DecidedSettings> {
  requireIncludedSettings(user, settings);
  const maxDownloads = settings.maxDownloads ?? null;
  requireLimitForAutoDelete(settings.autoDeleteAfterDownloads, maxDownloads);
  const { retentionDays } = limitsOf(await getTierConfig(context), user.tier);
  const now = context.clock.now();
  const days = clampExpirationDays(settings.expirationDays, retentionDays);
  const expiresAt = decideExpiry({ expiresAt: settings.expiresAt, days }, { retentionDays, now });
  const scheduledAvailableAt = toInstant(settings.scheduledAvailableAt);
  requireScheduleBeforeExpiry(scheduledAvailableAt, expiresAt);
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

/**
 * Writes the settings of a draft, with the number of files it waits for (1 by default). Only the first completion of
 * a draft has an effect; returns whether this was it.
 */
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

/**
 * Turns changes into the columns they touch. Throws AppError `expiry_in_past`, `schedule_after_expiry`,
 * `auto_delete_needs_limit`.
 */
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
  const { scheduledAvailableAt: schedule, expirationDays: days } = changes;
  const changesExpiry = changes.expiresAt !== undefined || days !== undefined;
  const expiresAt = changesExpiry
    ? decideExpiry(
        { expiresAt: changes.expiresAt, days },
        { retentionDays, now, promisedUntil: transfer.expiresAt },
      )
    : transfer.expiresAt;
  const scheduledAvailableAt =
    schedule === undefined ? transfer.scheduledAvailableAt : toInstant(schedule ?? undefined);
  if (expiresAt !== transfer.expiresAt || schedule !== undefined)
    requireScheduleBeforeExpiry(scheduledAvailableAt, expiresAt);
  return {
    ...(schedule !== undefined && { scheduledAvailableAt }),
    ...(expiresAt !== transfer.expiresAt && { expiresAt, isExpired: 0 }),
  };
}

/** Without a limit there is nothing after which to delete, so auto-delete goes with it. */
function decideLimit(transfer: TransferRow, changes: UpdateTransferInput): EditedColumns {
  const { maxDownloads: limit, autoDeleteAfterDownloads: autoDelete } = changes;
  const maxDownloads = limit === undefined ? transfer.maxDownloads : limit;
  requireLimitForAutoDelete(autoDelete, maxDownloads);
  return {
    ...(limit !== undefined && { maxDownloads }),
    ...(autoDelete !== undefined && { autoDeleteAfterDownloads: autoDelete ? 1 : 0 }),
    ...(limit === null && { autoDeleteAfterDownloads: 0 }),
  };
}

type ExpiryLimits = {
  retentionDays: number;
  now: number;
  /** A later end that an earlier plan has promised may stay. */
  promisedUntil?: number | null;
};

/**
 * An exact end takes precedence over a number of days; neither outlives the plan's retention, counted from now.
 * Throws AppError `expiry_in_past`.
 */
function decideExpiry(
  { expiresAt, days }: { expiresAt: string | undefined; days: number | undefined },
  { retentionDays, now, promisedUntil }: ExpiryLimits,
): number {
  const wanted = toInstant(expiresAt) ?? now + days! * DAY_MS;
  if (wanted <= now) throw new AppError('expiry_in_past');
  const latest = now + clampExpirationDays(undefined, retentionDays) * DAY_MS;
  return Math.min(wanted, Math.max(latest, promisedUntil ?? latest));
}

function requireScheduleBeforeExpiry(scheduledAvailableAt: number | null, expiresAt: number | null): void {
  if (scheduledAvailableAt !== null && expiresAt !== null && scheduledAvailableAt >= expiresAt)
    throw new AppError('schedule_after_expiry');
}

function requireLimitForAutoDelete(autoDelete: boolean | undefined, maxDownloads: number | null): void {
  if (autoDelete && maxDownloads === null) throw new AppError('auto_delete_needs_limit');
}

/** Instants are stored in whole milliseconds. */
function toInstant(iso: string | undefined): number | null {
  return iso === undefined ? null : Math.floor(Date.parse(iso));
}
