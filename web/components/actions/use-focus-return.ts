import { useRef } from 'react';

let isReturning = false;

/** Whether the focus event is a closed dialog's, not the user's. */
export function isFocusReturning(): boolean {
  return isReturning;
}

/**
 * Returns the focus to the element that had it when a dialog opened; Radix does so only for dialogs with their own
 * trigger. If that element is gone (a deleted row), the main content gets the focus, unless another dialog that
 * closed at the same time has already returned it.
 */
export function useFocusReturn() {
  const origin = useRef<Element | null>(null);
  const onOpenAutoFocus = () => {
    origin.current = document.activeElement;
  };
  const onCloseAutoFocus = (event: Event) => {
    event.preventDefault();
    const isGone = !origin.current?.isConnected;
    if (isGone && document.activeElement !== document.body) return;
    const target = isGone ? document.getElementById('main') : origin.current;
    isReturning = true;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    isReturning = false;
  };
  return { onOpenAutoFocus, onCloseAutoFocus };
}
