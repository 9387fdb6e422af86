import { createElement, type ReactNode } from 'react';
import {
  createFormControl,
  type FieldError,
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type RegisterOptions,
  type Resolver,
  set,
  type UseFormProps,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type { z } from 'zod';
import { ToldError } from '../../components/form/field.tsx';
import { translateSentence } from '../../lib/language/sentences.ts';
import { type FormErrors, TOLD } from './field-errors.ts';

type ContractFormOptions<Form extends FieldValues> = Omit<UseFormProps<Form>, 'resolver'> & {
  check: (values: Form) => FormErrors<Form> | Promise<FormErrors<Form>>;
};

/** A form that is checked as a whole by one function, usually from `checkWith`. Submits the values as typed. */
export function useContractForm<Form extends FieldValues>({
  check,
  ...options
}: ContractFormOptions<Form>): UseFormReturn<Form> {
  return useForm<Form>({ ...options, resolver: resolveWith(check) });
}

export type ContractFormControl<Form extends FieldValues> = ReturnType<typeof createFormControl<Form>> & {
  resolver: Resolver<Form>;
};

/** A form that outlives the pages that show it; they pass its `formControl` and `resolver` to `useForm`. */
export function createContractForm<Form extends FieldValues>({
  check,
  ...options
}: ContractFormOptions<Form>): ContractFormControl<Form> {
  const resolver = resolveWith(check);
  return { ...createFormControl<Form>({ ...options, resolver }), resolver };
}

function resolveWith<Form extends FieldValues>(check: ContractFormOptions<Form>['check']) {
  return async (values: Form) => {
    const wrong = Object.entries(await check(values));
    if (wrong.length === 0) return { values, errors: {} };
    const errors: FieldErrors<Form> = {};
    for (const [field, message] of wrong) set(errors, field, { type: 'rule', message });
    return { values: {}, errors };
  };
}

/**
 * Checks a form with its request schema and returns the first issue of each field. `toBody` converts the form to the
 * request. Errors from `findMore`, which the schema cannot detect, take precedence.
 */
export function checkWith<Form extends FieldValues>(
  schema: z.ZodType,
  toBody: (form: Form) => unknown = (form) => form,
  findMore: (form: Form) => FormErrors<Form> = () => ({}),
): (form: Form) => FormErrors<Form> {
  return (form) => {
    const wrong: Record<string, string> = {};
    for (const { path, message } of schema.safeParse(toBody(form)).error?.issues ?? [])
      wrong[String(path[0])] ??= translateSentence(message);
    return Object.assign(wrong, findMore(form)) as FormErrors<Form>;
  };
}

export function bindField<Form extends FieldValues, Name extends FieldPath<Form>>(
  { register, getFieldState, formState }: UseFormReturn<Form>,
  name: Name,
  options?: RegisterOptions<Form, Name>,
) {
  return { ...register(name, options), error: describeError(getFieldState(name, formState).error) };
}

/** For the `error` of a field that isn't bound by `bindField`. */
export function describeError(error: FieldError | undefined): ReactNode {
  return error?.type === TOLD ? createElement(ToldError, null, error.message) : error?.message;
}
