import { errorMessage } from '../../../contracts/errors.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { giveBackTry, takeTry } from '../../platform/http/rate-limits.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { verifyPassword } from './passwords.ts';

const WRONG_TRIES = 10;
const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Asks a signed-in user for the password once more. Whoever acts on it holds the row with `lockUserWithPassword`:
 * the password may have changed since. A try is counted before it is judged; only wrong ones stay counted.
 * Throws AppError `wrong_current_password` at that field, and `too_many_requests` after ten in 15 minutes.
 */
export async function requireCurrentPassword(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  user: Pick<UserRow, 'id' | 'passwordHash'>,
  { password, field }: { password: string; field: string },
): Promise<void> {
  const tries = { key: `password:${user.id}`, limit: WRONG_TRIES, windowMs: WINDOW_MS };
  await takeTry(context, tries);
  if (!(await verifyPassword(user.passwordHash, password))) throw wrongCurrentPassword(field);
  await giveBackTry(context, tries);
}

export function wrongCurrentPassword(field: string): AppError {
  return new AppError('wrong_current_password', {
    errors: { [field]: errorMessage('wrong_current_password') },
  });
}
