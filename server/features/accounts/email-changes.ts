import type { FastifyRequest } from 'fastify';
import { undoEmailChangePath } from '../../../contracts/links.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { takeTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, HOUR_MS } from '../../platform/lib/clock.ts';
import { hashToken, randomId } from '../../platform/lib/tokens.ts';
import { issueCode } from './codes.ts';
import {
  deleteEmailChange,
  deleteNewerEmailChanges,
  findNewestEmailChange,
  insertEmailChange,
  selectEmailChange,
} from './email-change-queries.ts';
import { enqueueEmailChangedMail } from './emails.ts';
import { deletePasswordResetsOf } from './password-reset-queries.ts';
import { deleteCodesOf, lockUser, updateUser } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';
import { toTakenError } from './taken.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

const UNDO_DAYS = 7;
const CHANGES_PER_HOUR = 20;

/** Answers tell whether an address is taken, so nobody gets to ask for many. Throws AppError `too_many_requests`. */
export async function takeEmailChangeTry(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  { id }: Pick<UserRow, 'id'>,
): Promise<void> {
  await takeTry(context, { key: `email-change:${id}`, limit: CHANGES_PER_HOUR, windowMs: HOUR_MS });
}

/**
 * Gives a user, whose row the transaction holds, another address at once: it is unverified and gets a code; the
 * old one, if it was verified, gets a link that takes the change back. Links for a new password that wait in the
 * old mailbox become void: they would prove the new address. Another spelling of the same address is only
 * written down. Throws AppError `too_many_requests`, and the unique violation of an address that is taken.
 */
export async function changeEmail(
  context: InTransaction,
  old: UserRow,
  { email, request }: { email: string; request: FastifyRequest },
): Promise<UserRow> {
  const { db: trx } = context;
  const emailKey = email.toLowerCase();
  if (emailKey === old.emailKey) return updateUser(trx, old.id, { email });
  const user = await updateUser(trx, old.id, { email, emailKey, emailVerified: 0 });
  await deletePasswordResetsOf(trx, user.id);
  await issueCode(context, user, request);
  if (old.emailVerified) await offerUndo(context, old, email);
  return user;
}

async function offerUndo(
  { db: trx, clock, config }: InTransaction,
  { id: userId, email: oldEmail }: UserRow,
  newEmail: string,
): Promise<void> {
  const now = clock.now();
  const newest = await findNewestEmailChange(trx, userId);
  const token = randomId();
  await insertEmailChange(trx, {
    id: randomId(),
    userId,
    oldEmail,
    tokenHash: hashToken(token),
    expiresAt: now + UNDO_DAYS * DAY_MS,
    // Later than the one before it whatever the clock says: undoing one voids those after it.
    createdAt: newest === undefined ? now : Math.max(now, newest + 1),
  });
  await enqueueEmailChangedMail(trx, {
    userId,
    oldEmail,
    newEmail,
    undoUrl: config.publicUrl + undoEmailChangePath(token),
    undoDays: UNDO_DAYS,
    createdAt: now,
  });
}

/**
 * Takes a change back by the token that was mailed to the old address, and with it those made after it. The old
 * address is verified (the mail proved it), codes and links for a new password are void, all sessions end.
 * Returns the user's id. Throws AppError `link_void` (unknown, old, used) and `email_taken` when somebody else has the
 * address now.
 */
export async function undoEmailChange(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  token: string,
): Promise<string> {
  try {
    return await transaction(db, (trx) => undo(trx, hashToken(token), clock.now()));
  } catch (error) {
    throw toTakenError(error);
  }
}

async function undo(trx: Trx, tokenHash: string, now: number): Promise<string> {
  const change = await selectEmailChange(trx, tokenHash, now);
  const user = change && (await lockUser(trx, change.userId));
  if (!user || !(await deleteEmailChange(trx, change.id))) throw new AppError('link_void');
  const email = change.oldEmail;
  await updateUser(trx, user.id, { email, emailKey: email.toLowerCase(), emailVerified: 1 });
  await deleteNewerEmailChanges(trx, change);
  await deleteCodesOf(trx, user.id);
  await deletePasswordResetsOf(trx, user.id);
  await deleteSessionsOf(trx, user.id);
  return user.id;
}
