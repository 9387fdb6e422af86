import type { FastifyRequest } from 'fastify';
import { undoEmailChangePath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { hashToken, randomId } from '../../../platform/lib/tokens.ts';
import { enqueueEmailChangedMail } from '../emails.ts';
import { deletePasswordResetsOf, findNewestEmailChange, insertEmailChange } from '../mailed-token-queries.ts';
import { updateUser } from '../users/user-queries.ts';
import { freeAddress } from './unverified-accounts.ts';
import { issueCode } from './verification-codes.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

const UNDO_DAYS = 7;
const CHANGES_PER_HOUR = 20;

/** The response reveals whether an address is in use, so attempts are limited. Throws AppError `too_many_requests`. */
export async function claimEmailChangeTry(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  { id }: Pick<UserRow, 'id'>,
): Promise<void> {
  await requireWithinLimit(context, {
    key: `email-change:${id}`,
    limit: CHANGES_PER_HOUR,
    windowMs: HOUR_MS,
  });
}

/**
 * Changes a user's email address immediately. The caller's transaction must hold the user's row lock. The new address
 * is unverified and gets a code; the old one, if verified, gets an undo link. Voids pending password resets, because
 * using one from the old mailbox would verify the new address. A different spelling of the same address is only
 * stored. Throws AppError `too_many_requests`, and the unique violation of an address in use.
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
  { id: userId, email: oldEmail, language }: UserRow,
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
    // Always later than the previous change, even if the clock was set back, because undoing a change voids all later
    // ones.
    createdAt: newest === undefined ? now : Math.max(now, newest + 1),
  });
  await enqueueEmailChangedMail(trx, {
    userId,
    language,
    oldEmail,
    newEmail,
    undoUrl: config.publicUrl + undoEmailChangePath(token),
    undoDays: UNDO_DAYS,
    createdAt: now,
  });
}
