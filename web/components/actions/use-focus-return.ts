import { useRef } from 'react';

/**
 * Gives the focus back to what had it when a dialog opened. Radix does so only for dialogs with a trigger of
 * their own. When that element is gone (the row was deleted) the page's content takes the focus, unless a dialog
 * that closed together with this one has given it back already.
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
