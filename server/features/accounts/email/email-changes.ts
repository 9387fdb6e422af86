import type { FastifyRequest } from 'fastify';
import { undoEmailChangePath } from '../../../../contracts/links.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { takeTry } from '../../../platform/http/rate-limits.ts';
import { DAY_MS, HOUR_MS } from '../../../platform/lib/clock.ts';
import { hashToken, randomId } from '../../../platform/lib/tokens.ts';
import { enqueueEmailChangedMail } from '../emails.ts';
import { deletePasswordResetsOf, findNewestEmailChange, insertEmailChange } from '../mailed-token-queries.ts';
import { updateUser } from '../users/user-queries.ts';
import { freeAddress } from './unverified-accounts.ts';
import { issueCode } from './verification-codes.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

const UNDO_DAYS = 7;
const CHANGES_PER_HOUR = 20;

/** Answers tell whether an address is taken, so nobody gets to ask for many. Throws AppError `too_many_requests`. */
export async function claimEmailChangeTry(
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
  await freeAddress(context, emailKey);
  const user = await updateUser(trx, old.id, {
    email,
    emailKey,
    emailVerified: 0,
    ...(old.emailVerified && { firstVerifiedAt: old.firstVerifiedAt ?? context.clock.now() }),
  });
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
