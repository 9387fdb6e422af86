import { type ReactNode, useRef } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { useKeepFocusAbove } from '../../lib/hooks/use-keep-focus-above.ts';

type BottomBarProps = { className?: string; children: ReactNode };

/** Sticks to the bottom of the window, within reach of the thumb. */
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
