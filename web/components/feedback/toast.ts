export type ToastInput = {
  title: string;
  description?: string;
  /** Destructive toasts stay until they are dismissed (WCAG 2.2.1); the others leave after 5 s. */
  variant?: 'default' | 'destructive';
  /** One button; pressing it also closes the toast. */
  action?: { label: string; onClick: () => void };
};

export type ShownToast = ToastInput & {
  id: number;
  isOpen: boolean;
  /** The path of the page that was open. */
  pathname: string;
};

let current: ShownToast | null = null;
let lastId = 0;
const listeners = new Set<() => void>();

/** Says something to the person; callable from anywhere. One toast is visible at a time: the newest wins. */
export function toast(input: ToastInput): void {
  lastId += 1;
  show({ ...input, id: lastId, isOpen: true, pathname: window.location.pathname });
}

/** Closes the toast on the screen, if there is one. */
export function dismissToast(): void {
  if (current) show({ ...current, isOpen: false });
}

/** Closes an error of the page that was just left; other toasts go by themselves and may announce the new page. */
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

function show(next: ShownToast): void {
  current = next;
  for (const listener of listeners) listener();
}
