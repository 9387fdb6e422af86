import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { forgetInvitationOf } from '../registration/index.ts';
import { deleteAccountAlertsOf } from './account-alert-queries.ts';
import { wrongCurrentPassword } from './current-password.ts';
import { deleteEmailChangesOf } from './email-change-queries.ts';
import { forgetPlacesOf } from './login-tries.ts';
import { deletePasswordResetsOf } from './password-reset-queries.ts';
import { UNKNOWN_USER_HASH } from './passwords.ts';
import { deletePreferences } from './preference-queries.ts';
import { deleteCodesOf, lockAdmins, lockUser, lockUserWithPassword, updateUser } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';

/**
 * Ends an account whose password has just been checked: nobody signs in to it any more, its name and address are
 * free for others, and the row waits until the transfers are gone. Returns the user as they were. Throws AppError
 * `last_admin`, and `wrong_current_password` when the password has changed meanwhile.
 */
export async function closeAccount(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  { user, field }: { user: Pick<UserRow, 'id' | 'passwordHash'>; field: string },
): Promise<UserRow> {
  await requireAnotherAdmin(trx, user.id);
  const closed = await lockUserWithPassword(trx, user);
  if (!closed) throw wrongCurrentPassword(field);
  await erase(trx, closed, clock.now());
  return closed;
}

/** As `closeAccount`, by an administrator. Throws AppError `user_not_found`, `last_admin`. */
export async function closeAnyAccount(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  userId: string,
): Promise<UserRow> {
  await requireAnotherAdmin(trx, userId);
  const closed = await lockUser(trx, userId);
  if (!closed) throw new AppError('user_not_found');
  await erase(trx, closed, clock.now());
  return closed;
}

async function erase(
  trx: Trx,
  { id: userId, emailKey }: Pick<UserRow, 'id' | 'emailKey'>,
  now: number,
): Promise<void> {
  await forgetInvitationOf(trx, emailKey);
  await updateUser(trx, userId, anonymised(userId, now));
  await deleteSessionsOf(trx, userId);
  await deleteCodesOf(trx, userId);
  await deletePasswordResetsOf(trx, userId);
  await deleteEmailChangesOf(trx, userId);
  await deleteAccountAlertsOf(trx, userId);
  await forgetPlacesOf(trx, userId);
  await deletePreferences(trx, userId);
}

/**
 * Holds all administrators until the transaction ends, so that of two who leave at once one stays (race 24).
 * Throws AppError `last_admin`.
 */
export async function requireAnotherAdmin(trx: Trx, userId: string): Promise<void> {
  const admins = await lockAdmins(trx);
  if (admins.length === 1 && admins[0] === userId) throw new AppError('last_admin');
}

/** No username and no address has a colon: what stands here can neither be taken nor mailed to. */
function anonymised(id: string, deletedAt: number) {
  const key = `deleted:${id}`;
  return {
    name: '',
    username: key,
    usernameKey: key,
    email: key,
    emailKey: key,
    emailVerified: 0,
    passwordHash: UNKNOWN_USER_HASH,
    isAdmin: 0,
    isClaiming: 0,
    backgroundStorageKey: null,
    backgroundFilename: null,
    backgroundMimeType: null,
    backgroundSizeBytes: null,
    backgroundSmallSizeBytes: null,
    deletedAt,
  } as const;
}
