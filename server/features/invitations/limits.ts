import type { TierLimits } from '../../../contracts/plans/tiers.ts';
import {
  findInvitationBreach,
  type InvitationLimits,
  type InvitedFile,
} from '../../../contracts/transfers/invitations.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { InvitationRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { sumUsed, type Used } from './open-invitation.ts';

/** The invitation's own limits, capped by the plan's limit per transfer. */
export function limitsOfInvitation(
  { maxFileSize, maxTotalSize, maxFiles, allowedTypes }: InvitationRow,
  { storagePerTransfer }: Pick<TierLimits, 'storagePerTransfer'>,
): InvitationLimits {
  return {
    maxFileSize: Math.min(maxFileSize ?? storagePerTransfer, storagePerTransfer),
    maxTotalSize: Math.min(maxTotalSize ?? storagePerTransfer, storagePerTransfer),
    maxFiles,
    allowedTypes: JSON.parse(allowedTypes) as string[],
  };
}

/** The files that share an invitation's limits: all of them or, for a recurring invitation, those of one visit. */
export type RoomScope = { invitationId: string; visitId?: string };

export function scopeOfRoom(
  { id, isRecurring }: Pick<InvitationRow, 'id' | 'isRecurring'>,
  visitId: string,
): RoomScope {
  return { invitationId: id, ...(isRecurring && { visitId }) };
}

export function findUsed(db: Db, scope: RoomScope): Promise<Used> {
  return sumUsed(db, scope);
}

/** What a new visitor finds already used up; nothing if the invitation is recurring. */
export async function findUsedByAll(
  db: Db,
  invitation: Pick<InvitationRow, 'id' | 'isRecurring'>,
): Promise<Used> {
  return invitation.isRecurring ? { files: 0, bytes: 0 } : sumUsed(db, { invitationId: invitation.id });
}

type RoomRequest = {
  invitation: InvitationRow;
  visitId: string;
  limits: InvitationLimits;
  files: InvitedFile[];
};

/**
 * Refuses files that would exceed the invitation's limits together with stored and announced ones. The caller must have
 * locked the invitation (`lockOpenInvitation`), so that visitors are checked one at a time. Throws AppError
 * `invited_file_too_large`, `file_type_not_allowed`, `too_many_invited_files`, `invited_total_exceeded`.
 */
export async function requireRoom(
  trx: Trx,
  { invitation, visitId, limits, files }: RoomRequest,
): Promise<void> {
  const breach = findInvitationBreach(files, limits, await findUsed(trx, scopeOfRoom(invitation, visitId)));
  if (breach) throw new AppError(breach.code, { details: breach.details });
}
