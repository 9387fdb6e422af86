import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { InvitationRow, UserRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { findInvitation, findInviter, lockInvitation } from './door-queries.ts';

/** An invitation that takes files now, and whom they go to. */
export type OpenInvitation = { invitation: InvitationRow; inviter: UserRow };

/**
 * The one door for visitors: a token becomes an invitation here and nowhere else, asked anew by every call.
 * Throws AppError `invitation_not_found`, or `invitation_closed` when it is disabled, has expired, or its
 * sender's plan has no invitations any more.
 */
export async function openInvitation(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<OpenInvitation> {
  const invitation = await findInvitation(db, token);
  const inviter = invitation && (await findInviter(db, invitation.senderId));
  if (!invitation || !inviter) throw new AppError('invitation_not_found');
  requireOpen(invitation, clock.now());
  if (!tierIncludes(inviter.tier, 'invitations')) throw new AppError('invitation_closed');
  return { invitation, inviter };
}

/**
 * The same inside a transaction, in which nobody else changes the invitation until it ends: what is decided
 * then is decided while it is open (race 25), one visitor after the other. Whoever also holds a transfer
 * takes the invitation first. Throws AppError `invitation_not_found`, `invitation_closed`.
 */
export async function holdOpenInvitation(
  trx: Trx,
  { clock }: Pick<Context, 'clock'>,
  invitationId: string,
): Promise<InvitationRow> {
  const invitation = await lockInvitation(trx, invitationId);
  if (!invitation) throw new AppError('invitation_not_found');
  requireOpen(invitation, clock.now());
  return invitation;
}

function requireOpen({ isActive, expiresAt }: InvitationRow, now: number): void {
  if (!isActive || expiresAt <= now) throw new AppError('invitation_closed');
}
