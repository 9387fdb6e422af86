import { useMutation } from '@tanstack/react-query';
import { ApiError, refusalText } from '../../../client/api-error.ts';
import { refreshSession } from '../../api/session.ts';
import { type ToastInput, toast } from '../../components/feedback/toast.ts';
import { refreshRows } from './lists/use-pages.ts';

type ActOptions<Input, Output> = {
  /** The toast on success. */
  done: (output: Output, input: Input) => ToastInput;
  /** Updates the cached lists on success. */
  onDone?: (output: Output, input: Input) => void;
  /** Paths of the lists to refetch on 404 or 409, when a row has changed meanwhile. */
  lists?: string[];
  /** The error sentence if the server sent none. */
  fallback?: string;
};

/** An administrator's mutation: a toast says whether it succeeded. */
export function useAct<Input, Output>(
  act: (input: Input) => Promise<Output>,
  { done, onDone, lists = [], fallback }: ActOptions<Input, Output>,
) {
  return useMutation({
    mutationFn: act,
    onSuccess: (output, input) => {
      onDone?.(output, input);
      toast(done(output, input));
    },
    onError: (error) => {
      // Canceled by the user.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      showRefusal(error, fallback);
      if (error instanceof ApiError && [404, 409].includes(error.status)) lists.forEach(refreshRows);
    },
  });
}

/** Shows an 'Error' toast with the server's sentence, or the fallback if there is none. */
export function showRefusal(error: unknown, fallback?: string): void {
  const hasSentence = error instanceof ApiError && error.detail !== '';
  const description = hasSentence || !fallback ? refusalText(error) : fallback;
  toast({ title: 'Error', description, variant: 'destructive' });
  // The user may have lost administrator rights.
  if (error instanceof ApiError && error.status === 403) void refreshSession();
}
