import type { TierLimits } from '../../../contracts/plans/tiers.ts';
import { ENCRYPTION_VERSION } from '../../../contracts/transfers/encryption.ts';
import type {
  Arrival,
  Invitation,
  InvitationDetails,
} from '../../../contracts/transfers/uploads/invitations.ts';
import type { InvitationRow } from '../../platform/db/schema.ts';
import type { Visitor } from '../../platform/http/routing/identity.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { encryptionVersionOf } from '../transfers/index.ts';
import { limitsOfInvitation, type Room, remainingOf, totalLimitsOf } from './limits.ts';
import type { OpenInvitation } from './open-invitation.ts';
import type { ArrivedTransfer, Tally } from './queries.ts';

/** Rows of other versions than this one knows are encrypted, too. */
function encryptionOf({ encryption }: Pick<InvitationRow, 'encryption'>): Invitation['encryption'] {
  return encryption === null ? null : ENCRYPTION_VERSION;
}

type InvitationFacts = { tally: Tally; limits: TierLimits; now: number };

export function presentInvitation(row: InvitationRow, { tally, limits, now }: InvitationFacts): Invitation {
  const { transfers, files, bytes, usedFiles, usedBytes } = tally;
  const totals = totalLimitsOf(row, limits);
  return {
    id: row.id,
    token: row.token,
    title: row.title,
    message: row.message,
    expiresAt: toIso(row.expiresAt),
    createdAt: toIso(row.createdAt),
    isActive: row.isActive === 1,
    isExpired: row.expiresAt <= now,
    isRecurring: row.isRecurring === 1,
    encryption: encryptionOf(row),
    ...limitsOfInvitation(row, limits),
    totalFilesLimit: totals.files,
    totalBytesLimit: totals.bytes,
    hasOwnFileSize: row.maxFileSize !== null,
    hasOwnTotalSize: row.maxTotalSize !== null,
    arrivals: { transfers, files, bytes },
    usedFiles,
    usedBytes,
  };
}

export function presentArrival(row: ArrivedTransfer, now: number): Arrival {
  return {
    transferId: row.id,
    receivedFrom: row.receivedFrom ?? '',
    message: row.message,
    encryption: encryptionVersionOf(row),
    fileCount: row.fileCount,
    totalSize: row.totalBytes,
    arrivedAt: toIso(row.readyAt ?? 0),
    isExpired: row.expiresAt !== null && row.expiresAt <= now,
  };
}

export function presentDetails(
  { invitation, inviter }: OpenInvitation,
  { room, visitor }: { room: Room; visitor: Visitor | undefined },
): InvitationDetails {
  const encryption = encryptionOf(invitation);
  return {
    title: invitation.title,
    senderName: inviter.name,
    message: invitation.message,
    ...room.limits,
    remaining: remainingOf(room),
    encryption: encryption && { version: encryption, invitationId: invitation.id },
    expiresAt: toIso(invitation.expiresAt),
    visitor: visitor ? { email: visitor.email } : null,
  };
}
