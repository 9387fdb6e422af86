export type ToastInput = {
  title: string;
  description?: string;
  /** Destructive toasts stay until dismissed (WCAG 2.2.1), others for 5 s. */
  variant?: 'default' | 'destructive';
  /** Pressing it also closes the toast. */
  action?: { label: string; onClick: () => void };
  /** How long it stays, unless it is destructive. Its action must do no harm later. */
  durationMs?: number;
};

export type ShownToast = ToastInput & {
  id: number;
  isOpen: boolean;
  /** The page on which it was shown. */
  pathname: string;
};

let current: ShownToast | null = null;
let lastId = 0;
const listeners = new Set<() => void>();

/** Callable from anywhere. Only the newest toast is visible. */
export function toast(input: ToastInput): void {
  lastId += 1;
  show({ ...input, id: lastId, isOpen: true, pathname: window.location.pathname });
}

export function dismissToast(): void {
  if (current) show({ ...current, isOpen: false });
}

/** Closes an error of the previous page. Other toasts close by themselves and may announce the new page. */
export function dismissStaleToast(): void {
  if (current?.variant === 'destructive' && current.pathname !== window.location.pathname) dismissToast();
}

export function currentToast(): ShownToast | null {
  return current;
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when there is a toast. */
export function firstToast(): Promise<void> {
  if (current) return Promise.resolve();
  return new Promise((resolve) => {
    const unsubscribe = subscribeToToasts(() => {
      unsubscribe();
      resolve();
    });
  });
}

function show(next: ShownToast): void {
  current = next;
  for (const listener of listeners) listener();
}
