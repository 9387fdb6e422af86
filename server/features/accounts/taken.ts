import { errorMessage } from '../../../contracts/errors.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import { AppError } from '../../platform/lib/app-error.ts';

/** Which of name and address is taken already, said at its field; any other error stays what it is. */
export function toTakenError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users.usernameKey')) {
    return new AppError('username_taken', { errors: { username: errorMessage('username_taken') } });
  }
  if (isUniqueViolation(error, 'users.emailKey')) {
    return new AppError('email_taken', { errors: { email: errorMessage('email_taken') } });
  }
  return error;
}
