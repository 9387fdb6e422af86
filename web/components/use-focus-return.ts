import { useRef } from 'react';

/**
 * Gives the focus back to what had it when a dialog opened. Radix does so only for dialogs with a trigger of
 * their own. When that element is gone (the row was deleted) the page's content takes the focus.
 */
export function useFocusReturn() {
  const origin = useRef<Element | null>(null);
  const onOpenAutoFocus = () => {
    origin.current = document.activeElement;
  };
  const onCloseAutoFocus = (event: Event) => {
    event.preventDefault();
    const target = origin.current?.isConnected ? origin.current : document.getElementById('main');
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
  return { onOpenAutoFocus, onCloseAutoFocus };
}
