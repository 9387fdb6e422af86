import { errorMessage } from '../../../contracts/errors.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { giveBackTry, takeTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { takeHashing } from './hashing-limits.ts';
import { verifyPassword } from './passwords.ts';

const WRONG_TRIES = 10;
const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Checks a signed-in user's password again. The caller then locks the row with `lockUserWithPassword`, because the
 * password may have changed since. A try is counted before the check and given back when the password is right.
 * Throws AppError `wrong_current_password` at that field, and `too_many_requests` after ten in 15 minutes.
 */
export async function requireCurrentPassword(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  user: Pick<UserRow, 'id' | 'passwordHash'>,
  { password, field }: { password: string; field: string },
): Promise<void> {
  const tries = { key: `password:${user.id}`, limit: WRONG_TRIES, windowMs: WINDOW_MS };
  await takeTry(context, tries);
  await takeHashing(context, { userId: user.id });
  const turn = { lane: 'sign-in', account: user.id } as const;
  if (!(await verifyPassword(user.passwordHash, password, turn))) throw wrongCurrentPassword(field);
  await giveBackTry(context, tries);
}

export function wrongCurrentPassword(field: string): AppError {
  return new AppError('wrong_current_password', {
    errors: { [field]: errorMessage('wrong_current_password') },
  });
}
