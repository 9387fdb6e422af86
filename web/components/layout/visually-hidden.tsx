import type { ReactNode } from 'react';

/** For assistive technology only. With `isAnnounced`, changes are announced (WCAG 4.1.3). */
export function VisuallyHidden({ isAnnounced = false, children }: VisuallyHiddenProps) {
  return (
    <span className="sr-only" {...(isAnnounced ? { role: 'status', 'aria-live': 'polite' } : {})}>
      {children}
    </span>
  );
}

type VisuallyHiddenProps = { isAnnounced?: boolean; children: ReactNode };
