import { useRef } from 'react';

/**
 * Returns the focus to the element that had it when a dialog opened; Radix does so only for dialogs with their own
 * trigger. If that element is gone (a deleted row), the page's main action or main content gets the focus, unless another
 * dialog that closed at the same time has already returned it. `data-initial-focus` marks the element of a dialog that
 * is focused first.
 */
export function useFocusReturn() {
  const origin = useRef<Element | null>(null);
  const onOpenAutoFocus = (event?: Event) => {
    origin.current = document.activeElement;
    const first = (event?.currentTarget as Element | null | undefined)?.querySelector('[data-initial-focus]');
    if (!(first instanceof HTMLElement)) return;
    event?.preventDefault();
    first.focus();
  };
  const onCloseAutoFocus = (event: Event) => {
    event.preventDefault();
    // The body had the focus if another dialog closed as this one opened.
    const isGone = !origin.current?.isConnected || origin.current === document.body;
    if (isGone && document.activeElement !== document.body) return;
    const home = document.querySelector('[data-focus-home]') ?? document.getElementById('main');
    const target = isGone ? home : origin.current;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
  return { onOpenAutoFocus, onCloseAutoFocus };
}
