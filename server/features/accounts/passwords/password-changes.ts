import { errorMessage } from '../../../../contracts/errors.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { refundCounter, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { enqueuePasswordChangedMail } from '../emails.ts';
import { createAlertLink } from '../events/account-alerts.ts';
import { deletePasswordResetsOf } from '../mailed-token-queries.ts';
import { deleteAttemptsOf } from '../sign-in/attempts.ts';
import { deleteSessionsOf } from '../sign-in/sessions/session-queries.ts';
import { updateUser } from '../users/user-queries.ts';
import { claimHashing, verifyPassword } from './passwords.ts';

const WRONG_TRIES = 10;
const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Checks a signed-in user's password again. The caller must then lock the row with `lockUserWithPassword`, because the
 * password may have changed since. Counts the attempt first and uncounts it if the password is right. Throws AppError
 * `wrong_current_password` at `field`, and `too_many_requests` after ten attempts in 15 minutes.
 */
export async function requireCurrentPassword(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  user: Pick<UserRow, 'id' | 'passwordHash'>,
  { password, field }: { password: string; field: string },
): Promise<void> {
  const tries = { key: `password:${user.id}`, limit: WRONG_TRIES, windowMs: WINDOW_MS };
  await requireWithinLimit(context, tries);
  await claimHashing(context, { userId: user.id });
  const turn = { lane: 'sign-in', account: user.id } as const;
  if (!(await verifyPassword(user.passwordHash, password, turn))) throw wrongCurrentPassword(field);
  await refundCounter(context, tries);
}

export function wrongCurrentPassword(field: string): AppError {
  return new AppError('wrong_current_password', {
    errors: { [field]: errorMessage('wrong_current_password') },
  });
}

type Change = {
  passwordHash: string;
  emailVerified?: 1;
  /** By default all sessions end. */
  keepSession?: string | null;
};

/**
 * Sets a new password. The caller's transaction must hold the user's row lock. Updates the user before it deletes the
 * sessions, so that a concurrent sign-in with the old password fails or is signed out. Voids reset links and mails a
 * "This wasn't me" link.
 */
export async function replacePassword(
  deps: Pick<Context, 'clock' | 'config'> & { db: Trx },
  { id }: Pick<UserRow, 'id'>,
  { keepSession = null, ...columns }: Change,
): Promise<UserRow> {
  const { db: trx, clock } = deps;
  const user = await updateUser(trx, id, columns);
  await deleteSessionsOf(trx, id, { except: keepSession });
  await deletePasswordResetsOf(trx, id);
  await deleteAttemptsOf(trx, id);
  const secureUrl = await createAlertLink(deps, user);
  await enqueuePasswordChangedMail(trx, user, { secureUrl, createdAt: clock.now() });
  return user;
}
