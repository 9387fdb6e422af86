import type { ErrorCode } from '../../../contracts/errors.ts';
import type { TierLimits } from '../../../contracts/plans/tiers.ts';
import {
  findInvitationBreach,
  type InvitationLimits,
  type InvitedFile,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { InvitationRow } from '../../platform/db/schema.ts';
import type { Visitor } from '../../platform/http/routing/identity.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { sumUsed, type Used, type UsedScope } from './open-invitation.ts';

type PlanLimits = Pick<TierLimits, 'storagePerTransfer'>;

/** A visitor's limits, capped by the plan's limit per transfer. */
export function limitsOfInvitation(
  { maxFileSize, maxTotalSize, maxFiles, allowedTypes }: InvitationRow,
  { storagePerTransfer }: PlanLimits,
): InvitationLimits {
  return {
    maxFileSize: Math.min(maxFileSize ?? storagePerTransfer, storagePerTransfer),
    maxTotalSize: Math.min(maxTotalSize ?? storagePerTransfer, storagePerTransfer),
    maxFiles,
    allowedTypes: JSON.parse(allowedTypes) as string[],
  };
}

/** For all visitors together. Null: no limit. */
export type TotalLimits = { files: number | null; bytes: number | null };

/** Before 0032 an invitation's limits were for all visitors together, unless it was recurring. */
export function totalLimitsOf(invitation: InvitationRow, plan: PlanLimits): TotalLimits {
  const { maxFiles, maxTotalSize } = limitsOfInvitation(invitation, plan);
  const resolve = (limit: number | null, earlier: number) =>
    limit !== 0 ? limit : invitation.isRecurring ? null : earlier;
  return {
    files: resolve(invitation.totalFilesLimit, maxFiles),
    bytes: resolve(invitation.totalBytesLimit, maxTotalSize),
  };
}

/** Limits and what is used of them, by one visitor and by all. */
export type Room = {
  limits: InvitationLimits;
  totals: TotalLimits;
  used: Used;
  usedByAll: Used;
  isEncrypted: boolean;
};

type RoomQuery = {
  invitation: InvitationRow;
  plan: PlanLimits;
  /** Undefined for a visitor who has not sent anything. */
  visit: Pick<Visitor, 'visitId' | 'key'> | undefined;
};

/** Exact while the invitation is locked (`lockOpenInvitation`), so that visitors are checked one at a time. */
export async function findRoom(db: Db, { invitation, plan, visit }: RoomQuery): Promise<Room> {
  const totals = totalLimitsOf(invitation, plan);
  const hasTotals = totals.files !== null || totals.bytes !== null;
  return {
    limits: limitsOfInvitation(invitation, plan),
    totals,
    isEncrypted: invitation.encryption !== null,
    used: visit ? await sumUsed(db, scopeOfVisitor(invitation, visit)) : NOTHING,
    usedByAll: hasTotals ? await sumUsed(db, { column: 'invitationId', value: invitation.id }) : NOTHING,
  };
}

const NOTHING: Used = { files: 0, bytes: 0 };

/** The files that share a visitor's limits. */
export function scopeOfVisitor(
  { isRecurring }: Pick<InvitationRow, 'isRecurring'>,
  { visitId, key }: Pick<Visitor, 'visitId' | 'key'>,
): UsedScope {
  return isRecurring ? { column: 'visitId', value: visitId } : { column: 'visitorKey', value: key };
}

/** What this visitor may still send. */
export function remainingOf({ limits, totals, used, usedByAll }: Room): Used {
  const left = (limit: number | null, amount: number) =>
    limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - amount);
  return {
    files: Math.min(left(limits.maxFiles, used.files), left(totals.files, usedByAll.files)),
    bytes: Math.min(left(limits.maxTotalSize, used.bytes), left(totals.bytes, usedByAll.bytes)),
  };
}

/** Names of encrypted files say nothing about their types, which only their sender's client can check. */
function checkedLimitsOf({ limits, isEncrypted }: Room): InvitationLimits {
  return isEncrypted ? { ...limits, allowedTypes: [] } : limits;
}

/**
 * Refuses files that would exceed the limits together with stored and announced ones. Throws AppError
 * `invited_file_too_large`, `file_type_not_allowed`, `too_many_invited_files`, `invited_total_exceeded`,
 * `invitation_files_exceeded`, `invitation_bytes_exceeded`.
 */
export function requireRoomFor(files: InvitedFile[], room: Room): void {
  const breach =
    findInvitationBreach(files, checkedLimitsOf(room), room.used) ?? findTotalBreach(files, room);
  if (breach) throw new AppError(breach.code, { details: breach.details });
}

type TotalBreach = { code: ErrorCode; details: Record<string, string> };

function findTotalBreach(files: InvitedFile[], { totals, usedByAll }: Room): TotalBreach | undefined {
  if (totals.files !== null && usedByAll.files + files.length > totals.files) {
    const left = formatCount(Math.max(0, totals.files - usedByAll.files));
    return { code: 'invitation_files_exceeded', details: { left, count: formatCount(totals.files) } };
  }
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (totals.bytes !== null && usedByAll.bytes + bytes > totals.bytes) {
    const left = formatSize(Math.max(0, totals.bytes - usedByAll.bytes));
    return { code: 'invitation_bytes_exceeded', details: { left, size: formatSize(totals.bytes) } };
  }
  return undefined;
}

/** The caller must have locked the invitation. Throws like `requireRoomFor`. */
export async function requireRoom(
  trx: Trx,
  { files, ...query }: RoomQuery & { files: InvitedFile[] },
): Promise<void> {
  requireRoomFor(files, await findRoom(trx, query));
}
