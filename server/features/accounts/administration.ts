import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { Tier, UserRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { requireAnotherAdmin } from './closing.ts';
import { newUser, type Person } from './new-user.ts';
import { replacePassword } from './password-changes.ts';
import { insertUser, lockUser, updateUser } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';

/**
 * Creates an account for somebody; the administrator vouches for the address. A name or address that is taken
 * leaves the transaction as a unique violation: `toTakenError` puts it into words.
 */
export function addAccount(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  person: Person,
  { tier, isAdmin }: { tier: Tier; isAdmin: boolean },
): Promise<UserRow> {
  return insertUser(trx, newUser(person, { emailVerified: 1, isAdmin: isAdmin ? 1 : 0, tier }, clock.now()));
}

/**
 * Makes somebody an administrator, or no longer: then all their sessions end. Throws AppError `user_not_found`,
 * `last_admin`.
 */
export async function setAdministrator(
  trx: Trx,
  { userId, isAdmin }: { userId: string; isAdmin: boolean },
): Promise<UserRow> {
  if (!isAdmin) await requireAnotherAdmin(trx, userId);
  const before = await requireUser(trx, userId);
  const user = await updateUser(trx, userId, { isAdmin: isAdmin ? 1 : 0 });
  if (before.isAdmin === 1 && !isAdmin) await deleteSessionsOf(trx, userId);
  return user;
}

/**
 * Sets somebody's plan and returns them as they were and are. A subscription goes on at the payment provider and
 * sets the plan again when it changes its tier or ends; with `isFinal` it no longer does. Throws AppError
 * `user_not_found`.
 */
export async function setTier(
  trx: Trx,
  { userId, tier, isFinal }: { userId: string; tier: Tier; isFinal: boolean },
): Promise<{ before: UserRow; user: UserRow }> {
  const before = await requireUser(trx, userId);
  const changes = { tier, ...(isFinal && { paymentSubscriptionId: null }) };
  return { before, user: await updateUser(trx, userId, changes) };
}

/**
 * Sets somebody's password (as `hashPassword` made it): all their sessions end, links for a new password become
 * void, and they are told by mail. Throws AppError `user_not_found`.
 */
export async function resetPassword(
  deps: Pick<Context, 'clock' | 'config'> & { db: Trx },
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<UserRow> {
  return replacePassword(deps, await requireUser(deps.db, userId), { passwordHash });
}

/** Holds the row until the transaction ends. */
async function requireUser(trx: Trx, userId: string): Promise<UserRow> {
  const user = await lockUser(trx, userId);
  if (!user) throw new AppError('user_not_found');
  return user;
}
