import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from '../../client/api-error.ts';
import type { ErrorCode } from '../../contracts/errors.ts';

/** Error codes that concern one field of our forms. */
const FIELDS_OF_CODES: Partial<Record<ErrorCode, readonly string[]>> = {
  username_taken: ['username'],
  email_taken: ['email'],
  wrong_current_password: ['currentPassword'],
};

type FieldError<Field> = { field: Field; message: string };

/** The server's errors for these fields, in the order of the fields. */
export function findFieldErrors<Field extends string>(
  error: unknown,
  fields: readonly Field[],
): FieldError<Field>[] {
  if (!(error instanceof ApiError)) return [];
  const { errors, code, detail } = error;
  const fieldsOfCode = code ? FIELDS_OF_CODES[code] : undefined;
  return fields.flatMap((field) => {
    const message = errors[field] ?? (fieldsOfCode?.includes(field) ? detail : undefined);
    return message ? [{ field, message }] : [];
  });
}

/** Shows the errors at their fields and focuses the first. */
export function showFieldErrors<Form extends FieldValues>(
  setError: UseFormSetError<Form>,
  errors: FieldError<FieldPath<Form>>[],
): void {
  errors.forEach(({ field, message }, index) => {
    setError(field, { type: 'server', message }, { shouldFocus: index === 0 });
  });
}
