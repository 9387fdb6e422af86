import type {
  Arrival,
  CreateInvitationInput,
  Invitation,
  UpdateInvitationInput,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { InvitationRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { dropMails } from '../../platform/mail/outbox.ts';
import { lockAccount } from '../accounts/index.ts';
import { getTierConfig, limitsOf, requireEncryptionPolicy, requireFeature } from '../tiers/index.ts';
import { type FateContext, removeTransfer } from '../transfers/index.ts';
import { lockInvitation } from './open-invitation.ts';
import { presentArrival, presentInvitation } from './presenter.ts';
import {
  countInvitations,
  deleteInvitationRow,
  EMPTY_TALLY,
  findOwnInvitation,
  insertInvitation,
  listArrivedTransfers,
  listDraftsOf,
  listInvitationsOf,
  type OwnInvitation,
  tallyInvitations,
  updateOwnInvitation,
} from './queries.ts';
import { deleteVisitsOf } from './visits/visit-queries.ts';

/** More than a sender can keep track of, and each one accepts files. */
const MAX_INVITATIONS = 500;
const ARRIVALS_SHOWN = 200;

type Deps = Pick<Context, 'db' | 'clock'>;
type Sender = Pick<UserRow, 'id' | 'tier'>;

export async function listInvitations({ db, clock }: Deps, sender: Sender): Promise<Invitation[]> {
  const limits = limitsOf(await getTierConfig({ db }), sender.tier);
  const rows = await listInvitationsOf(db, sender.id);
  const tallies = await tallyInvitations(db, { senderId: sender.id });
  const now = clock.now();
  return rows.map((row) =>
    presentInvitation(row, { tally: tallies.get(row.id) ?? EMPTY_TALLY, limits, now }),
  );
}

/**
 * The sender's plan is checked again under the row's lock, so that neither a downgrade nor parallel calls exceed it.
 * Throws AppError `tier_required`, `encryption_required`, `encryption_forbidden`, `too_many_invitations`,
 * `not_signed_in` (the account was deleted meanwhile).
 */
export async function createInvitation(
  context: Deps,
  sender: Sender,
  input: CreateInvitationInput,
): Promise<Invitation> {
  const { db, clock } = context;
  const now = clock.now();
  const { title, message, expirationDays, encryption = null, ...limits } = input;
  const plan = limitsOf(await getTierConfig({ db }), sender.tier);
  requireEncryptionPolicy(plan, encryption !== null);
  const row = await transaction(db, async (trx) => {
    await requireInvitationQuota(trx, sender.id);
    return insertInvitation(trx, {
      id: randomId(),
      token: randomId(),
      senderId: sender.id,
      title,
      message: message || null,
      expiresAt: now + expirationDays * DAY_MS,
      createdAt: now,
      encryption,
      ...toColumns(limits),
      // The columns' defaults are for invitations of earlier releases.
      totalFilesLimit: limits.totalFilesLimit ?? null,
      totalBytesLimit: limits.totalBytesLimit ?? null,
    });
  });
  return describe(context, sender, row);
}

async function requireInvitationQuota(trx: Trx, senderId: string): Promise<void> {
  const sender = await lockAccount(trx, senderId);
  if (!sender) throw new AppError('not_signed_in');
  requireFeature(sender.tier, 'invitations');
  const count = await countInvitations(trx, senderId);
  if (count >= MAX_INVITATIONS) throw new AppError('too_many_invitations', { details: { count } });
}

/**
 * Changes apply from the visitors' next call on. An absent field stays as it is, null removes it, and days count from
 * now. Throws AppError `invitation_not_found`.
 */
export async function updateInvitation(
  context: Deps,
  { sender, id }: { sender: Sender; id: string },
  { title, message, expirationDays, ...limits }: UpdateInvitationInput,
): Promise<Invitation> {
  const { db, clock } = context;
  const row = await updateOwnInvitation(db, ownInvitation(sender, id), {
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message: message || null }),
    ...(expirationDays !== undefined && { expiresAt: clock.now() + expirationDays * DAY_MS }),
    ...toColumns(limits),
  });
  return describe(context, sender, row);
}

/** Closing refuses running uploads from their next call on. Throws AppError `invitation_not_found`. */
export async function toggleInvitation(
  context: Deps,
  { sender, id }: { sender: Sender; id: string },
  isActive: boolean,
): Promise<Invitation> {
  const row = await updateOwnInvitation(context.db, ownInvitation(sender, id), {
    isActive: isActive ? 1 : 0,
  });
  return describe(context, sender, row);
}

/**
 * Deletes an invitation. Files that arrived stay with the owner; unfinished uploads are discarded with their bytes and
 * reservations. Throws AppError `invitation_not_found`.
 */
export async function deleteInvitation(
  context: Pick<Context, 'db' | 'clock' | 'log'>,
  { sender, id }: { sender: Sender; id: string },
): Promise<void> {
  const { db } = context;
  await transaction(db, async (trx) => {
    const isOwn = (await findOwnInvitation(trx, ownInvitation(sender, id))) !== undefined;
    if (!isOwn || !(await removeInvitation({ ...context, db: trx }, id)))
      throw new AppError('invitation_not_found');
  });
}

/** Deletes all invitations of an account, in the transaction that deletes it. */
export async function removeInvitationsOf(context: FateContext, senderId: string): Promise<void> {
  for (const { id } of await listInvitationsOf(context.db, senderId)) await removeInvitation(context, id);
}

/** Locks the invitation, so that no visitor starts a transfer meanwhile. Returns false if it is already deleted. */
async function removeInvitation(context: FateContext, id: string): Promise<boolean> {
  const { db: trx } = context;
  if (!(await lockInvitation(trx, id))) return false;
  for (const transferId of await listDraftsOf(trx, id))
    await removeTransfer(context, transferId, { cause: 'invitation-deleted' });
  // A code mail has the id of its visit.
  await dropMails(trx, await deleteVisitsOf(trx, id));
  await deleteInvitationRow(trx, id);
  return true;
}

export async function listArrivals(
  { db, clock }: Deps,
  { sender, id }: { sender: Sender; id: string },
): Promise<Arrival[]> {
  if (!(await findOwnInvitation(db, ownInvitation(sender, id)))) throw new AppError('invitation_not_found');
  const rows = await listArrivedTransfers(db, id, ARRIVALS_SHOWN);
  return rows.map((row) => presentArrival(row, clock.now()));
}

async function describe(
  { db, clock }: Deps,
  { id: senderId, tier }: Sender,
  row: InvitationRow | undefined,
): Promise<Invitation> {
  if (!row) throw new AppError('invitation_not_found');
  const limits = limitsOf(await getTierConfig({ db }), tier);
  const tallies = await tallyInvitations(db, { senderId, id: row.id });
  return presentInvitation(row, { tally: tallies.get(row.id) ?? EMPTY_TALLY, limits, now: clock.now() });
}

function ownInvitation({ id: senderId }: Sender, id: string): OwnInvitation {
  return { senderId, id };
}

type LimitsInput = Omit<UpdateInvitationInput, 'title' | 'message' | 'expirationDays'>;

/** Absent fields become no columns, so updates leave them alone. */
function toColumns({ allowedTypes, isRecurring, ...numbers }: LimitsInput) {
  return {
    ...numbers,
    ...(allowedTypes !== undefined && { allowedTypes: JSON.stringify(allowedTypes) }),
    ...(isRecurring !== undefined && { isRecurring: isRecurring ? (1 as const) : (0 as const) }),
  };
}
