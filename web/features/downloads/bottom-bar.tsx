import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { classNames } from '../../lib/class-names.ts';

type BottomBarProps = { className?: string; children: ReactNode };

/** Stays at the window's bottom edge, under the thumb. */
export function BottomBar({ className, children }: BottomBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  useKeepFocusAbove(bar);
  return (
    <div
      ref={bar}
      className={classNames(
        'sticky bottom-0 z-10 border-t border-line bg-canvas/90 pb-[env(safe-area-inset-bottom)] backdrop-blur-md',
        className,
      )}
    >
      <div className="frame flex items-center gap-4 py-3">{children}</div>
    </div>
  );
}

/** What gets the focus scrolls clear of the bar (WCAG 2.4.11). */
function useKeepFocusAbove(bar: RefObject<HTMLElement | null>): void {
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
