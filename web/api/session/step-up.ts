/** Calls that were refused until the user confirms who they are; one dialog answers for all of them. */
let asked: PromiseWithResolvers<void> | undefined;
const listeners = new Set<() => void>();

/** Opens the dialog. Rejects with an AbortError if the user cancels. */
export function confirmIdentity(): Promise<void> {
  asked ??= Promise.withResolvers<void>();
  const { promise } = asked;
  announce();
  return promise;
}

export function answerIdentity(isConfirmed: boolean): void {
  const waiting = asked;
  asked = undefined;
  if (isConfirmed) waiting?.resolve();
  else waiting?.reject(new DOMException('The confirmation was canceled.', 'AbortError'));
  announce();
}

/** For `useSyncExternalStore`. */
export const stepUpStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isAsked: () => asked !== undefined,
};

function announce(): void {
  for (const listener of listeners) listener();
}
