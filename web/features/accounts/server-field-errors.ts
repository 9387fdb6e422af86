import { ApiError } from '../../api/api-error.ts';

type Field = 'name' | 'username' | 'email' | 'password';
const FIELDS: readonly Field[] = ['name', 'username', 'email', 'password'];

/** The server's objections that belong to a field of the registration form, in the form's order. */
export function findFieldErrors(error: unknown): { field: Field; message: string }[] {
  if (!(error instanceof ApiError)) return [];
  const errors: Partial<Record<Field, string>> = { ...error.errors };
  if (error.code === 'username_taken') errors.username ??= error.detail;
  if (error.code === 'email_taken') errors.email ??= error.detail;
  return FIELDS.flatMap((field) => {
    const message = errors[field];
    return message ? [{ field, message }] : [];
  });
}
