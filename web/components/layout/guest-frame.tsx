import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { PAGES } from '../../../contracts/values/pages.ts';
import { HomeLink } from './home-link.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

type GuestFrameProps = {
  /** Credits the product, at the left of the footer. */
  credit: string;
  /** What else stands in the footer, before the way to the product. */
  footer?: ReactNode;
  /** A picture behind everything; over it the page is dark in both themes. */
  picture?: ReactNode;
  /** What sticks to the window's bottom edge on small screens. */
  bar?: ReactNode;
  /** The footer waits until its place is known, so that it does not jump. */
  isLoading?: boolean;
  children: ReactNode;
};

/**
 * What stays while a page for people without an account goes from one state to the next. It asks nothing about a
 * session: they have none.
 */
export function GuestFrame({ credit, footer, picture, bar, isLoading = false, children }: GuestFrameProps) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-clip">
      {/* React moves it into the head. Such links are secrets and no matter for search engines. */}
      <meta name="robots" content="noindex" />
      {picture}
      <header className="frame flex min-h-18 items-center justify-between py-3">
        <HomeLink />
        {/* Over a picture the toggle would do nothing. */}
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
            <Link to={PAGES.landing} reloadDocument className="link">
              <Trans>Send files of your own</Trans>
            </Link>
          </div>
        </footer>
      )}
      {bar}
    </div>
  );
}
