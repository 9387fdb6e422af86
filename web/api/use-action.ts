import { t } from '@lingui/core/macro';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { ApiError, refusalText } from '../../client/api-error.ts';
import type { AnyInput, CallInput, CallOutput } from '../../client/call.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { type ToastInput, toast } from '../components/feedback/toast.ts';
import { call } from './call.ts';
import { invalidate } from './endpoint-query.ts';
import { type FormErrors, findFieldErrors, showErrors } from './forms/field-errors.ts';
import { queryClient } from './query-client.ts';
import { refreshSession } from './session/session.ts';

export type ActionOptions<Input, Output, Form extends FieldValues> = {
  /** The toast on success. */
  success?: ToastInput | ((output: Output, input: Input) => ToastInput);
  /** Runs on success, before the toast; the action stays pending until it resolves. */
  onSuccess?: (output: Output, input: Input) => unknown;
  /** Endpoints to refetch on success. */
  refreshes?: Endpoint[];
  /** The title of the toast on failure, 'Error' by default; or the whole toast, undefined for none. */
  failure?: string | ((error: Error, input: Input) => ToastInput | undefined);
  /** The sentence of that toast if the server sent none. */
  fallback?: string;
  /** Runs on failure, after it was reported. */
  onError?: (error: Error, input: Input) => unknown;
  /** Endpoints to refetch on 404 or 409, because someone else has changed the data. */
  outdated?: Endpoint[];
  /** Shows the errors of its fields and focuses the first. */
  form?: UseFormReturn<Form>;
  /** Which error belongs to which field; by default, those that the server reports under a field's name. */
  toErrors?: (error: Error, input: Input) => FormErrors<Form>;
};

type Action<Input, Output> = UseMutationResult<Output, Error, Input> & {
  /** Never rejects: resolves with whether the action succeeded. */
  run: (input: Input) => Promise<boolean>;
};

/** Calls without required input can be made without an argument. */
// biome-ignore lint/suspicious/noConfusingVoidType: makes the argument of `mutate` optional.
type ActionInput<Input> = Record<string, never> extends Input ? Input | void : Input;

/**
 * A user action: calls an endpoint, or runs a function if it takes more than one call.
 * Reports a failure in a toast and marks the form's fields, which repeat nothing that the toast says; a canceled
 * request is not reported.
 */
export function useAction<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType | 'empty',
  Form extends FieldValues = FieldValues,
>(
  endpoint: Endpoint<P, Q, B, R>,
  options?: ActionOptions<ActionInput<CallInput<P, Q, B>>, CallOutput<R>, Form>,
): Action<ActionInput<CallInput<P, Q, B>>, CallOutput<R>>;
export function useAction<Input, Output, Form extends FieldValues = FieldValues>(
  act: (input: Input) => Promise<Output>,
  options?: ActionOptions<Input, Output, Form>,
): Action<Input, Output>;
export function useAction<Input, Output, Form extends FieldValues>(
  action: Endpoint | ((input: Input) => Promise<Output>),
  options: ActionOptions<Input, Output, Form> = {},
): Action<Input, Output> {
  // Given, because pages of visitors have no provider.
  const mutation = useMutation<Output, Error, Input>(
    {
      mutationFn: (input) =>
        typeof action === 'function'
          ? action(input)
          : (call(action, input as AnyInput | undefined) as Promise<Output>),
      onSuccess: async (output, input) => {
        const { success, onSuccess, refreshes = [] } = options;
        await onSuccess?.(output, input);
        for (const endpoint of refreshes) void invalidate(endpoint);
        if (success) toast(typeof success === 'function' ? success(output, input) : success);
      },
      onError: (error, input) => reportFailure(error, input, options),
    },
    queryClient,
  );
  const run = (input: Input) =>
    mutation.mutateAsync(input).then(
      () => true,
      () => false,
    );
  return { ...mutation, run };
}

function reportFailure<Input, Output, Form extends FieldValues>(
  error: Error,
  input: Input,
  {
    failure = t`Error`,
    fallback,
    onError,
    outdated = [],
    form,
    toErrors,
  }: ActionOptions<Input, Output, Form>,
): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  const words = typeof failure === 'string' ? describe(error, failure, fallback) : failure(error, input);
  if (words) toast({ ...words, variant: 'destructive' });
  if (form) {
    const errors = toErrors ? toErrors(error, input) : findFieldErrors(error, form);
    showErrors(form, errors, words?.description);
  }
  if (error instanceof ApiError) {
    if ([404, 409].includes(error.status)) for (const endpoint of outdated) void invalidate(endpoint);
    // The plan or the rights of the user have changed.
    if ([402, 403].includes(error.status)) void refreshSession();
  }
  onError?.(error, input);
}

function describe(error: Error, title: string, fallback: string | undefined): ToastInput {
  const hasSentence = error instanceof ApiError && error.detail !== '';
  return { title, description: hasSentence || !fallback ? refusalText(error) : fallback };
}
