import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from '../../../client/api-error.ts';
import type { ErrorCode } from '../../../contracts/errors.ts';

export type FormErrors<Form extends FieldValues> = Partial<Record<FieldPath<Form>, string>>;

/** Error codes about one field, by the field's name in our forms. */
const FIELDS_OF_CODES: Partial<Record<ErrorCode, readonly string[]>> = {
  username_taken: ['username'],
  email_taken: ['email'],
  wrong_current_password: ['currentPassword'],
};

/** The server's errors that belong to fields of the form, in the form's order. */
export function findFieldErrors<Form extends FieldValues>(
  error: unknown,
  { getValues }: Pick<UseFormReturn<Form>, 'getValues'>,
): FormErrors<Form> {
  if (!(error instanceof ApiError)) return {};
  const { errors, code, detail } = error;
  const fieldsOfCode = code ? FIELDS_OF_CODES[code] : undefined;
  const found = listFields(getValues()).map((field) => [
    field,
    errors[field] ?? (fieldsOfCode?.includes(field) ? detail : undefined),
  ]);
  return Object.fromEntries(found.filter(([, message]) => message)) as FormErrors<Form>;
}

/** The paths of all fields: `name`, `free.price`. */
function listFields(values: FieldValues, prefix = ''): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value && Object.getPrototypeOf(value) === Object.prototype
      ? listFields(value, `${prefix}${name}.`)
      : `${prefix}${name}`,
  );
}

/** The type of an error that a toast tells: its field is marked, but doesn't repeat the sentence. */
export const TOLD = 'told';

/** Call it with the toast that tells these errors. The next check of the form shows its own. */
export function markTold<Form extends FieldValues>(
  { setError }: Pick<UseFormReturn<Form>, 'setError'>,
  errors: FormErrors<Form>,
): void {
  for (const [field, message] of Object.entries(errors) as [FieldPath<Form>, string][])
    setError(field, { type: TOLD, message });
}

/** Shows errors at their fields and focuses the first. `told` is the text of a toast. */
export function showErrors<Form extends FieldValues>(
  { setError }: Pick<UseFormReturn<Form>, 'setError'>,
  errors: FormErrors<Form>,
  told = '',
): void {
  const wrong = Object.entries(errors) as [FieldPath<Form>, string][];
  wrong.forEach(([field, message], index) => {
    const type = told.includes(message) ? TOLD : 'server';
    setError(field, { type, message }, { shouldFocus: index === 0 });
  });
}
