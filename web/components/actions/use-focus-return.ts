import { useRef } from 'react';

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
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
  return { onOpenAutoFocus, onCloseAutoFocus };
}
