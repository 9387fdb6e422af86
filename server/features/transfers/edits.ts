import { clampExpirationDays } from '../../../contracts/plans/limits.ts';
import type { UpdateTransferInput } from '../../../contracts/transfers/transfers.ts';
import type { Tier, TransferRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { requireDownloadLimit, requireFeature } from '../tiers/index.ts';
import type { EditedColumns } from './edit-queries.ts';
import { toInstant } from './settings.ts';

/** What a change of settings is decided by. */
type Rights = {
  retentionDays: number;
  now: number;
  /** null takes the password away, undefined leaves it. */
  passwordHash: string | null | undefined;
};

/**
 * Refuses what the plan does not include, unless the transfer has it already: a downgrade keeps what was
 * promised, and taking something away is always allowed. Throws AppError `tier_required`.
 */
export function requireIncludedChanges(
  tier: Tier,
  transfer: TransferRow,
  changes: UpdateTransferInput,
): void {
  if (changes.password && transfer.passwordHash === null) requireFeature(tier, 'password');
  if (changes.maxDownloads && transfer.maxDownloads === null) requireFeature(tier, 'maxDownloads');
  if (changes.maxDownloads && changes.maxDownloads !== transfer.maxDownloads)
    requireDownloadLimit(tier, changes.maxDownloads);
  if (changes.scheduledAvailableAt && transfer.scheduledAvailableAt === null)
    requireFeature(tier, 'schedule');
  if (changes.autoDeleteAfterDownloads && transfer.autoDeleteAfterDownloads === 0)
    requireFeature(tier, 'autoDelete');
}

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
  const expiresAt = decideEnd(transfer, changes, { retentionDays, now });
  const { scheduledAvailableAt: wish } = changes;
  const schedule = wish === undefined ? transfer.scheduledAvailableAt : toInstant(wish ?? undefined);
  const touched = expiresAt !== transfer.expiresAt || wish !== undefined;
  if (touched && schedule !== null && expiresAt !== null && schedule >= expiresAt)
    throw new AppError('schedule_after_expiry');
  return {
    ...(wish !== undefined && { scheduledAvailableAt: schedule }),
    ...(expiresAt !== transfer.expiresAt && { expiresAt, isExpired: 0 }),
  };
}

/**
 * An exact end goes before a number of days. Neither outlives the plan's retention, counted from now, but
 * what was promised by an earlier plan may stay.
 */
function decideEnd(
  transfer: TransferRow,
  { expiresAt, expirationDays }: UpdateTransferInput,
  { retentionDays, now }: Pick<Rights, 'retentionDays' | 'now'>,
): number | null {
  if (expiresAt === undefined && expirationDays === undefined) return transfer.expiresAt;
  const wish = toInstant(expiresAt) ?? now + expirationDays! * DAY_MS;
  if (wish <= now) throw new AppError('expiry_in_past');
  const latest = now + clampExpirationDays(undefined, retentionDays) * DAY_MS;
  return Math.min(wish, Math.max(latest, transfer.expiresAt ?? latest));
}

/** Without a limit there is nothing after which to delete, so auto-delete goes with it. */
function decideLimit(transfer: TransferRow, changes: UpdateTransferInput): EditedColumns {
  const { maxDownloads: limit, autoDeleteAfterDownloads: autoDelete } = changes;
  const maxDownloads = limit === undefined ? transfer.maxDownloads : limit;
  if (autoDelete && maxDownloads === null) throw new AppError('auto_delete_needs_limit');
  return {
    ...(limit !== undefined && { maxDownloads }),
    ...(autoDelete !== undefined && { autoDeleteAfterDownloads: autoDelete ? 1 : 0 }),
    ...(limit === null && { autoDeleteAfterDownloads: 0 }),
  };
}
