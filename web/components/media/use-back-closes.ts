import { useEffect, useRef } from 'react';

/**
 * While something covers the whole page, Back closes it instead of leaving the page: it has an entry of its own in
 * the history, which goes when it is closed in another way.
 */
export function useBackCloses(isOpen: boolean, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isOpen) return;
    let isBack = false;
    const handleStep = () => {
      isBack = true;
      close.current();
    };
    // With all that the router keeps there: to it, this is still the same page.
    window.history.pushState({ ...window.history.state, isCovered: true }, '');
    window.addEventListener('popstate', handleStep);
    return () => {
      window.removeEventListener('popstate', handleStep);
      // A link may have led on meanwhile.
      const isStillOurs = (window.history.state as { isCovered?: boolean } | null)?.isCovered;
      if (!isBack && isStillOurs) window.history.back();
    };
  }, [isOpen]);
}
