import { errorMessage } from '../../../contracts/errors.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import { AppError } from '../../platform/lib/app-error.ts';

/** The refusal of a username or an address that somebody has, shown at its field. */
export function takenError(column: 'usernameKey' | 'emailKey'): AppError {
  return column === 'usernameKey'
    ? new AppError('username_taken', { errors: { username: errorMessage('username_taken') } })
    : new AppError('email_taken', { errors: { email: errorMessage('email_taken') } });
}

/** Translates the unique violation of a username or an address; any other error stays what it is. */
export function toTakenError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users.usernameKey')) return takenError('usernameKey');
  if (isUniqueViolation(error, 'users.emailKey')) return takenError('emailKey');
  return error;
}
