import {
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type RegisterOptions,
  set,
  type UseFormProps,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type { z } from 'zod';
import { ApiError } from '../../client/api-error.ts';
import type { ErrorCode } from '../../contracts/errors.ts';

/** One sentence per wrong field. */
export type FormErrors<Form extends FieldValues> = Partial<Record<FieldPath<Form>, string>>;

type ContractFormOptions<Form extends FieldValues> = Omit<UseFormProps<Form>, 'resolver'> & {
  check: (values: Form) => FormErrors<Form>;
};

/** A form that is checked as a whole by one function, usually from `checkWith`. Submits the values as typed. */
export function useContractForm<Form extends FieldValues>({
  check,
  ...options
}: ContractFormOptions<Form>): UseFormReturn<Form> {
  return useForm<Form>({
    ...options,
    resolver: (values) => {
      const wrong = Object.entries(check(values));
      if (wrong.length === 0) return { values, errors: {} };
      const errors: FieldErrors<Form> = {};
      for (const [field, message] of wrong) set(errors, field, { type: 'rule', message });
      return { values: {}, errors };
    },
  });
}

/**
 * Checks a form by the schema of its request: the first issue of each field. `toBody` makes the request of the form;
 * `findMore` returns errors that the schema cannot know, which win.
 */
export function checkWith<Form extends FieldValues>(
  schema: z.ZodType,
  toBody: (form: Form) => unknown = (form) => form,
  findMore: (form: Form) => FormErrors<Form> = () => ({}),
): (form: Form) => FormErrors<Form> {
  return (form) => {
    const wrong: Record<string, string> = {};
    for (const { path, message } of schema.safeParse(toBody(form)).error?.issues ?? [])
      wrong[String(path[0])] ??= message;
    return Object.assign(wrong, findMore(form)) as FormErrors<Form>;
  };
}

/** The props of a text field: name, handlers and current error. */
export function bindField<Form extends FieldValues, Name extends FieldPath<Form>>(
  { register, getFieldState, formState }: UseFormReturn<Form>,
  name: Name,
  options?: RegisterOptions<Form, Name>,
) {
  return { ...register(name, options), error: getFieldState(name, formState).error?.message };
}

/** Refusals that are about one field, under the names it has in our forms. */
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

/** Shows errors at their fields and focuses the first. */
export function showErrors<Form extends FieldValues>(
  { setError }: Pick<UseFormReturn<Form>, 'setError'>,
  errors: FormErrors<Form>,
): void {
  const wrong = Object.entries(errors) as [FieldPath<Form>, string][];
  wrong.forEach(([field, message], index) => {
    setError(field, { type: 'server', message }, { shouldFocus: index === 0 });
  });
}
