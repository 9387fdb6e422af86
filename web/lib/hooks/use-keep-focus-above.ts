import { type RefObject, useEffect } from 'react';

/** Scrolls the focused element clear of a bar at the lower edge (WCAG 2.4.11). */
export function useKeepFocusAbove(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      root.style.scrollPaddingBottom = height > 0 ? `${height + 16}px` : '';
    });
    if (bar.current) observer.observe(bar.current);
    return () => {
      observer.disconnect();
      root.style.scrollPaddingBottom = '';
    };
  }, [bar]);
}
