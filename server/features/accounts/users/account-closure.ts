import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { deleteInvitationOf } from '../../registration/index.ts';
import { deleteFactorsOf } from '../factors/factors.ts';
import {
  deleteAccountAlertsOf,
  deleteCodesOf,
  deleteEmailChangesOf,
  deletePasswordResetsOf,
} from '../mailed-token-queries.ts';
import { wrongCurrentPassword } from '../passwords/password-changes.ts';
import { UNKNOWN_USER_HASH } from '../passwords/passwords.ts';
import { deletePreferences } from '../settings/preferences.ts';
import { deleteAttemptsOf } from '../sign-in/attempts.ts';
import { deletePlacesOf } from '../sign-in/login.ts';
import { deleteSessionsOf } from '../sign-in/sessions/session-queries.ts';
import { deleteIdentitiesOf } from '../single-sign-on/identities/identity-queries.ts';
import { lockAccount, lockAdmins, lockUserWithPassword, updateUser } from './user-queries.ts';

/**
 * Closes an account whose password was just checked. The anonymized row stays until the transfers are deleted. Returns
 * the row as it was before. Throws AppError `last_admin`, and `wrong_current_password` when the password has changed
 * since.
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

/** `closeAccount` for administrators, without the password. Throws AppError `user_not_found`, `last_admin`. */
export async function closeAccountAsAdmin(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  userId: string,
): Promise<UserRow> {
  await requireAnotherAdmin(trx, userId);
  const closed = await lockAccount(trx, userId);
  if (!closed) throw new AppError('user_not_found');
  await erase(trx, closed, clock.now());
  return closed;
}

async function erase(
  trx: Trx,
  { id: userId, emailKey }: Pick<UserRow, 'id' | 'emailKey'>,
  now: number,
): Promise<void> {
  await deleteInvitationOf(trx, emailKey);
  await updateUser(trx, userId, anonymizedColumns(userId, now));
  await endAccess(trx, userId);
  await deleteEmailChangesOf(trx, userId);
  await deletePreferences(trx, userId);
  await deleteFactorsOf(trx, userId);
  await deleteIdentitiesOf(trx, userId);
}

/** Ends all sessions and voids everything that could start a new one. */
export async function endAccess(trx: Trx, userId: string): Promise<void> {
  await deleteSessionsOf(trx, userId);
  await deleteCodesOf(trx, userId);
  await deletePasswordResetsOf(trx, userId);
  await deleteAccountAlertsOf(trx, userId);
  await deletePlacesOf(trx, userId);
  await deleteAttemptsOf(trx, userId);
}

/** Locks all administrators' rows until the transaction ends, so that the last two cannot leave at the same time. */
export async function requireAnotherAdmin(trx: Trx, userId: string): Promise<void> {
  const admins = await lockAdmins(trx);
  if (admins.length === 1 && admins[0] === userId) throw new AppError('last_admin');
}

/** Usernames and addresses contain no colon, so this key can be neither registered nor mailed to. */
function anonymizedColumns(id: string, deletedAt: number) {
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
    hasSecondFactor: 0,
    backgroundStorageKey: null,
    backgroundFilename: null,
    backgroundMimeType: null,
    backgroundSizeBytes: null,
    backgroundSmallSizeBytes: null,
    deletedAt,
  } as const;
}
