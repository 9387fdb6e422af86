import type { z } from 'zod';
import type { SignedOut, SignOut } from '../../../../contracts/accounts/settings.ts';
import type { AdminUser, CreateUserInput } from '../../../../contracts/admin/users.ts';
import type { TierName } from '../../../../contracts/plans/tiers.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { deleteAccountAsAdmin } from '../../account-deletion/index.ts';
import { disableAccess, signOutEverywhere } from '../../account-recovery/index.ts';
import {
  addAccount,
  hashPassword,
  requireGoodPassword,
  resetFactors,
  resetPassword,
  setAdministrator,
  setTier,
  toTakenError,
} from '../../accounts/index.ts';
import { type By, recordAct } from '../audit.ts';
import { presentUsers } from './user-list.ts';
import { selectShownUsers } from './user-queries.ts';

export async function createUser(
  context: Context,
  by: By,
  { username, email, password, tier, isAdmin, name = username }: z.output<typeof CreateUserInput>,
): Promise<AdminUser> {
  await requireGoodPassword(context, { password, person: { name, username, email, isAdmin } });
  const person = { name, username, email, passwordHash: await hashPassword(password) };
  try {
    const user = await transaction(context.db, async (trx) => {
      const added = await addAccount({ ...context, db: trx }, person, { tier, isAdmin });
      const details = { email, tier, isAdmin };
      await recordAct(trx, { ...by, action: 'user.create', subject: username, subjectId: added.id, details });
      return added;
    });
    return presentOne(context.db, user);
  } catch (error) {
    throw toTakenError(error);
  }
}

export async function deleteUser(context: Context, by: By, userId: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const { username, email, tier } = await deleteAccountAsAdmin({ ...context, db: trx }, userId);
    const details = { email, tier };
    await recordAct(trx, { ...by, action: 'user.delete', subject: username, subjectId: userId, details });
  });
}

/** Revoking the role ends all the user's sessions. Throws AppError `user_not_found`, `last_admin`. */
export async function setUserAdmin(
  { db }: Pick<Context, 'db'>,
  by: By,
  { userId, isAdmin }: { userId: string; isAdmin: boolean },
): Promise<AdminUser> {
  const user = await transaction(db, async (trx) => {
    const changed = await setAdministrator(trx, { userId, isAdmin });
    const subject = { subject: changed.username, subjectId: userId };
    await recordAct(trx, { ...by, ...subject, action: 'user.admin', details: { isAdmin } });
    return changed;
  });
  return presentOne(db, user);
}

/**
 * The plan stays until the payment provider reports a subscription that starts, changes its tier or ends. With
 * payments off it stays until an administrator changes it. Throws AppError `user_not_found`.
 */
export async function setUserTier(
  { db, payments }: Pick<Context, 'db' | 'payments'>,
  by: By,
  { userId, tier }: { userId: string; tier: TierName },
): Promise<AdminUser> {
  const user = await transaction(db, async (trx) => {
    const isFinal = payments.name === 'off';
    const { before, user } = await setTier(trx, { userId, tier, isFinal });
    const subject = { subject: user.username, subjectId: userId };
    const details = { from: before.tier, to: tier };
    await recordAct(trx, { ...by, ...subject, action: 'user.tier', details });
    return user;
  });
  return presentOne(db, user);
}

/**
 * Notifies the user by email, ends all sessions, and disables API keys and webhooks. Throws AppError `user_not_found`,
 * `invalid_input` (the policy refuses the password).
 */
export async function resetUserPassword(
  context: Context,
  by: By,
  { userId, password }: { userId: string; password: string },
): Promise<AdminUser> {
  const [person = {}] = await selectShownUsers(context.db, [userId]);
  await requireGoodPassword(context, { password, person });
  const passwordHash = await hashPassword(password);
  const user = await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const changed = await resetPassword(deps, { userId, passwordHash });
    await disableAccess(deps, changed, 'password-reset');
    const subject = { subject: changed.username, subjectId: userId };
    await recordAct(trx, { ...by, ...subject, action: 'user.reset-password' });
    return changed;
  });
  return presentOne(context.db, user);
}

/** Throws AppError `user_not_found`. */
export async function signUserOut(
  context: Context,
  by: By,
  { userId, ...also }: { userId: string } & z.output<typeof SignOut>,
): Promise<SignedOut> {
  return transaction(context.db, async (trx) => {
    const result = await signOutEverywhere({ ...context, db: trx }, { userId, ...also });
    if (!result) throw new AppError('user_not_found');
    const { user, ended } = result;
    const subject = { subject: user.username, subjectId: userId };
    await recordAct(trx, { ...by, ...subject, action: 'user.sign-out', details: ended });
    return ended;
  });
}

/** Throws AppError `user_not_found`, `user_has_no_second_factor`. */
export async function resetSecondFactor(context: Context, by: By, userId: string): Promise<AdminUser> {
  const user = await transaction(context.db, async (trx) => {
    const changed = await resetFactors({ ...context, db: trx }, userId);
    const subject = { subject: changed.username, subjectId: userId };
    await recordAct(trx, { ...by, ...subject, action: 'user.reset-second-factor' });
    return changed;
  });
  return presentOne(context.db, user);
}

async function presentOne(db: Db, user: UserRow): Promise<AdminUser> {
  const [presented] = await presentUsers(db, [user]);
  return presented!;
}
