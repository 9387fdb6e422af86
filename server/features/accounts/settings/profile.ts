import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { UpdateProfileInput } from '../../../../contracts/accounts/settings.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Identity } from '../../../platform/http/routing/identity.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { changeEmail, claimEmailChangeTry } from '../email/email-changes.ts';
import { recordAccountEvent } from '../events/events.ts';
import { replacePassword, wrongCurrentPassword } from '../passwords/password-changes.ts';
import { requireGoodPassword } from '../passwords/password-policy.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { requireOwner } from '../sign-in/step-up.ts';
import { lockAccount, lockUserWithPassword, updateUser } from '../users/user-queries.ts';
import { toTakenError } from '../users/users.ts';

type Input = z.output<typeof UpdateProfileInput>;
type Changes = Pick<Input, 'name' | 'email' | 'language'> & {
  passwordHash: string | undefined;
  sessionId: string | null;
  request: FastifyRequest;
};

/**
 * Changes the name and language and, as `requireOwner` allows it, the address or password; all or nothing. Throws
 * AppError `wrong_current_password`, `step_up_required`, `invalid_input` (the policy refuses the password),
 * `email_taken` and `too_many_requests`.
 */
export async function updateProfile(
  context: Context,
  identity: Identity,
  input: Input,
  request: FastifyRequest,
): Promise<UserRow> {
  const { user, sessionId } = identity;
  const { name, email, language, newPassword, currentPassword } = input;
  const isGuarded = email !== undefined || newPassword !== undefined;
  if (isGuarded)
    await requireOwner(context, identity, { password: currentPassword, field: 'currentPassword' });
  if (newPassword !== undefined) {
    const person = { ...user, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
    await requireGoodPassword(context, { password: newPassword, person, field: 'newPassword' });
  }
  if (email !== undefined) await claimEmailChangeTry(context, user);
  const passwordHash =
    newPassword === undefined ? undefined : await hashPassword(newPassword, { account: user.id });
  const changes = { name, email, language, passwordHash, sessionId, request };
  try {
    return await transaction(context.db, async (trx) => {
      const locked = await lockOwner(trx, user, { isGuarded });
      return applyChanges({ ...context, db: trx }, locked, changes);
    });
  } catch (error) {
    throw toTakenError(error);
  }
}

/** Throws if the password changed since it was checked. */
async function lockOwner(trx: Trx, user: UserRow, { isGuarded }: { isGuarded: boolean }): Promise<UserRow> {
  const locked = isGuarded ? await lockUserWithPassword(trx, user) : await lockAccount(trx, user.id);
  if (locked) return locked;
  throw isGuarded ? wrongCurrentPassword('currentPassword') : new AppError('not_signed_in');
}

async function applyChanges(
  context: Omit<Context, 'db'> & { db: Trx },
  locked: UserRow,
  { name, email, language, passwordHash, sessionId, request }: Changes,
): Promise<UserRow> {
  const { db: trx } = context;
  let user = locked;
  if (name !== undefined) user = await updateUser(trx, user.id, { name });
  if (language !== undefined) user = await updateUser(trx, user.id, { language });
  // Change the password first, so that its mail goes to the old address.
  if (passwordHash !== undefined)
    user = await replacePassword(context, user, { passwordHash, keepSession: sessionId });
  if (passwordHash !== undefined)
    await recordAccountEvent(context, { userId: user.id, kind: 'password-changed', request });
  if (email === undefined) return user;
  const changed = await changeEmail(context, user, { email, request });
  if (changed.emailKey !== user.emailKey)
    await recordAccountEvent(context, { userId: user.id, kind: 'email-changed', request });
  return changed;
}
