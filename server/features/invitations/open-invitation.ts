import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { prepare } from '../../platform/db/queries/prepared.ts';
import type { InvitationRow, UserRow, VisitRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';

export type OpenInvitation = { invitation: InvitationRow; inviter: UserRow };

/**
 * The only place where a visitor's token becomes an invitation; every call checks it again. Throws AppError
 * `invitation_not_found`, or `invitation_closed` if it is disabled or expired, or if the owner's plan no longer
 * includes invitations.
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
 * Like `openInvitation`, but locks the invitation until the transaction ends: it stays open, and visitors are handled
 * one at a time. To avoid deadlocks, lock the invitation before a transfer. Throws AppError `invitation_not_found`,
 * `invitation_closed`.
 */
export async function lockOpenInvitation(
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

const selectInvitation = prepare((db, token: string) =>
  db.selectFrom('uploadInvitations').selectAll().where('token', '=', token),
);

async function findInvitation(db: Db, token: string): Promise<InvitationRow | undefined> {
  const [invitation] = await selectInvitation(db, token);
  return invitation;
}

const selectInviter = prepare((db, userId: string) =>
  db.selectFrom('users').selectAll().where('id', '=', userId).where('deletedAt', 'is', null),
);

async function findInviter(db: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await selectInviter(db, userId);
  return user;
}

/** Locks the row by an update without changes, which works in both databases. */
export async function lockInvitation(trx: Trx, id: string): Promise<InvitationRow | undefined> {
  return trx
    .updateTable('uploadInvitations')
    .set((eb) => ({ isActive: eb.ref('isActive') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

const selectVisit = prepare((db, id: string) =>
  db.selectFrom('uploadInvitationVerifications').selectAll().where('id', '=', id).where('verified', '=', 1),
);

/** Only finds visits whose address is verified. */
export async function findVisit(db: Db, id: string): Promise<VisitRow | undefined> {
  const [visit] = await selectVisit(db, id);
  return visit;
}

export type Used = { files: number; bytes: number };

/** A column of `transfers`: all visitors of an invitation, one of them, or one visit. */
export type UsedScope = { column: 'invitationId' | 'visitorKey' | 'visitId'; value: string };

/** Sums files that visitors sent or announced and that are not deleted. Files added by the owner do not count. */
export async function sumUsed(db: Db, { column, value }: UsedScope): Promise<Used> {
  const { files, bytes } = await db
    .selectFrom('transfers')
    .innerJoin('uploads', 'uploads.transferId', 'transfers.id')
    .select(({ fn }) => [fn.count('uploads.id').as('files'), fn.sum('uploads.sizeBytes').as('bytes')])
    .where(`transfers.${column}`, '=', value)
    .where('transfers.status', '!=', 'deleting')
    .where('uploads.visitorKey', 'is not', null)
    .executeTakeFirstOrThrow();
  return { files: Number(files), bytes: Number(bytes ?? 0) };
}
