import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { Link } from '../../lib/routing.tsx';
import { HomeLink } from './home-link.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

type GuestFrameProps = {
  /** At the left of the footer. */
  credit: string;
  /** More content of the footer. */
  footer?: ReactNode;
  /** Fills the background; content on top of it is dark in both themes. */
  picture?: ReactNode;
  /** Sticks to the bottom of small screens. */
  bar?: ReactNode;
  /** Hides the footer until its position is final. */
  isLoading?: boolean;
  children: ReactNode;
};

/** Frame of the pages for people without an account. It stays mounted between states, and needs no session. */
export function GuestFrame({ credit, footer, picture, bar, isLoading = false, children }: GuestFrameProps) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-clip">
      {/* React moves this into the head. Share links are secret, so search engines must not index them. */}
      <meta name="robots" content="noindex" />
      {picture}
      <header className="frame flex min-h-18 items-center justify-between py-3">
        <HomeLink />
        {/* The theme has no effect over a picture. */}
        {!picture && <ThemeToggle />}
      </header>
      <main id="main" tabIndex={-1} className="flex grow flex-col outline-none">
        {children}
      </main>
      {!isLoading && (
        <footer className="frame flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-6 text-sm text-ink-faint">
          <p>{credit}</p>
          <div className="flex flex-wrap gap-x-6 gap-y-1">
            {footer}
            <Link to={PAGES.landing} reloadDocument className="link py-0.5 inline-block">
              <Trans>Send files of your own</Trans>
            </Link>
          </div>
        </footer>
      )}
      {bar}
    </div>
  );
}
