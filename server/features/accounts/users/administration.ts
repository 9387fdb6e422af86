import { ADMIN_PASSWORD_MIN } from '../../../../contracts/plans/limits.ts';
import { ConfigError } from '../../../config.ts';
import type { Context } from '../../../context.ts';
import { isUniqueViolation } from '../../../platform/db/engines/errors.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { recordAccountEvent } from '../events/events.ts';
import { replacePassword } from '../passwords/password-changes.ts';
import { findWeakness } from '../passwords/password-policy.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { deleteSessionsOf } from '../sign-in/sessions/session-queries.ts';
import { requireAnotherAdmin } from './account-closure.ts';
import { existsAdmin, insertUser, lockAccount, updateUser } from './user-queries.ts';
import { newUser, type Person } from './users.ts';

/**
 * The administrator vouches for the address, so it counts as verified. A name or address in use fails with a unique
 * violation, which `toTakenError` translates.
 */
export function addAccount(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  person: Person,
  { tier, isAdmin }: { tier: Tier; isAdmin: boolean },
): Promise<UserRow> {
  return insertUser(trx, newUser(person, { emailVerified: 1, isAdmin: isAdmin ? 1 : 0, tier }, clock.now()));
}

/** Revoking the role ends all the user's sessions. Throws AppError `user_not_found`, `last_admin`. */
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
 * Sets a user's plan. A running subscription continues at the payment provider and sets the plan again when its tier
 * changes or it ends, unless `isFinal`. Throws AppError `user_not_found`.
 */
export async function setTier(
  trx: Trx,
  { userId, tier, isFinal }: { userId: string; tier: Tier; isFinal: boolean },
): Promise<{ before: UserRow; user: UserRow }> {
  const before = await requireUser(trx, userId);
  const changes = { tier, ...(isFinal && { paymentSubscriptionId: null }) };
  return { before, user: await updateUser(trx, userId, changes) };
}

/** Ends all sessions, voids reset links and notifies the user by email. Throws AppError `user_not_found`. */
export async function resetPassword(
  deps: Pick<Context, 'clock' | 'config'> & { db: Trx },
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<UserRow> {
  const user = await requireUser(deps.db, userId);
  await recordAccountEvent(deps, { userId, kind: 'password-reset' });
  return replacePassword(deps, user, { passwordHash });
}

async function requireUser(trx: Trx, userId: string): Promise<UserRow> {
  const user = await lockAccount(trx, userId);
  if (!user) throw new AppError('user_not_found');
  return user;
}

/**
 * Creates the administrator named by ADMIN_* unless one exists. Never promotes an existing account with that name or
 * address. Throws ConfigError when the policy refuses the password.
 */
export async function ensureFirstAdmin({
  db,
  config,
  clock,
  log,
}: Pick<Context, 'db' | 'config' | 'clock' | 'log'>): Promise<void> {
  if (!config.firstAdmin || (await existsAdmin(db))) return;
  const { username, email, password } = config.firstAdmin;
  const weakness = await findWeakness({ config }, password, { username, email });
  if (weakness) throw new ConfigError(`ADMIN_PASSWORD: ${weakness}`);
  if (password.length < ADMIN_PASSWORD_MIN)
    log.warn(
      `ADMIN_PASSWORD has fewer than ${ADMIN_PASSWORD_MIN} characters. Please change the administrator's password.`,
    );
  const person = { name: username, username, email, passwordHash: await hashPassword(password) };
  try {
    await insertUser(db, newUser(person, { emailVerified: 1, isAdmin: 1, tier: 'premium' }, clock.now()));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another process that starts at the same time may have created the administrator.
    if (await existsAdmin(db)) return;
    log.warn(
      'No administrator was created: ADMIN_USERNAME or ADMIN_EMAIL belongs to a user without that role.',
    );
  }
}
