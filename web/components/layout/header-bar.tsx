import type { ReactNode } from 'react';
import { HomeLink } from './home-link.tsx';

type HeaderBarProps = {
  /** For a bar over a picture. */
  isOverlay?: boolean;
  children: ReactNode;
};

/** Header of pages outside the dashboard: home link on the left, children on the right. */
export function HeaderBar({ isOverlay = false, children }: HeaderBarProps) {
  return (
    <header className={isOverlay ? 'absolute inset-x-0 top-0 z-20' : 'relative z-20'}>
      <div className="frame flex min-h-18 items-center justify-between gap-3 py-3">
        <HomeLink />
        <div className="flex items-center gap-1 sm:gap-2 print:hidden">{children}</div>
      </div>
    </header>
  );
}
