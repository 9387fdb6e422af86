import type { ReactNode } from 'react';

const IS_APPLE = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** The key that goes with most shortcuts. */
export const CONTROL_KEY = IS_APPLE ? '⌘' : 'Ctrl';

export function Key({ children }: { children: ReactNode }) {
  return (
    <kbd className="rounded-xs border border-line-firm px-1.5 font-mono text-xs leading-5.5 whitespace-nowrap text-ink-soft">
      {children}
    </kbd>
  );
}
