import { useMutation } from '@tanstack/react-query';
import { ApiError, refusalText } from '../../../client/api-error.ts';
import { refreshSession } from '../../api/session.ts';
import { type ToastInput, toast } from '../../components/toast.ts';
import { refreshRows } from './use-pages.ts';

type ActOptions<Input, Output> = {
  /** What the toast says when it is done. */
  done: (output: Output, input: Input) => ToastInput;
  /** Shows in the lists what has changed. */
  onDone?: (output: Output, input: Input) => void;
  /** The lists (paths) to ask for again when something in them is gone meanwhile. */
  lists?: string[];
  /** Stands for the server's sentence when there is none. */
  fallback?: string;
};

/** Runs an administrator's action and reports success or refusal. */
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
      // Stopped by whoever did it.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      tellRefusal(error, fallback);
      if (error instanceof ApiError && [404, 409].includes(error.status)) lists.forEach(refreshRows);
    },
  });
}

/** 'Error' with the server's sentence, or the fallback where it said none. */
export function tellRefusal(error: unknown, fallback?: string): void {
  const hasSentence = error instanceof ApiError && error.detail !== '';
  const description = hasSentence || !fallback ? refusalText(error) : fallback;
  toast({ title: 'Error', description, variant: 'destructive' });
  // Whoever is no administrator any more is shown so.
  if (error instanceof ApiError && error.status === 403) void refreshSession();
}
