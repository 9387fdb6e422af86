import {
  type DefaultValues,
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type RegisterOptions,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';

export type FormErrors<Form> = Partial<Record<keyof Form & string, string>>;

type CheckedForm<Form extends FieldValues> = {
  defaultValues: Form;
  check: (values: Form) => FormErrors<Form>;
};

/** A form that is checked as a whole by one function. */
export function useCheckedForm<Form extends FieldValues>({
  defaultValues,
  check,
}: CheckedForm<Form>): UseFormReturn<Form> {
  return useForm<Form>({
    defaultValues: defaultValues as DefaultValues<Form>,
    resolver: (values) => {
      const wrong = Object.entries(check(values));
      if (wrong.length === 0) return { values, errors: {} };
      const errors = wrong.map(([field, message]) => [field, { type: 'rule', message }]);
      return { values: {}, errors: Object.fromEntries(errors) as FieldErrors<Form> };
    },
  });
}

/** Shows the server's errors at their fields and focuses the first one. */
export function showErrors<Form extends FieldValues>(
  { setError }: UseFormReturn<Form>,
  errors: FormErrors<Form>,
): void {
  const wrong = Object.entries(errors) as [FieldPath<Form>, string][];
  wrong.forEach(([field, message], index) => {
    setError(field, { type: 'server', message }, { shouldFocus: index === 0 });
  });
}

/** The props of a text field: name, handlers and current error. */
export function bindField<Form extends FieldValues, Name extends FieldPath<Form>>(
  { register, formState: { errors } }: UseFormReturn<Form>,
  name: Name,
  options?: RegisterOptions<Form, Name>,
) {
  const message = errors[name]?.message;
  return { ...register(name, options), error: typeof message === 'string' ? message : undefined };
}
