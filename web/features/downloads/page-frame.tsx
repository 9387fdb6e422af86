import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '../../components/logo.tsx';
import { ThemeToggle } from '../../components/theme-toggle.tsx';

type PageFrameProps = {
  /** What sticks to the window's bottom edge on small screens. */
  bar?: ReactNode;
  /** The footer waits until its place is known, so that it does not jump. */
  isLoading?: boolean;
  children: ReactNode;
};

/** What stays while the page goes from one state to the next. It asks nothing about a session: recipients have none. */
export function PageFrame({ bar, isLoading = false, children }: PageFrameProps) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-clip">
      {/* React moves it into the head. Share links are secrets and no matter for search engines. */}
      <meta name="robots" content="noindex" />
      <header className="frame flex min-h-18 items-center justify-between py-3">
        <Link to="/" aria-label="Sendwell home" className="rounded-full py-1 pr-2">
          <Logo />
        </Link>
        <ThemeToggle />
      </header>
      <main id="main" tabIndex={-1} className="flex grow flex-col outline-none">
        {children}
      </main>
      {!isLoading && <Footer />}
      {bar}
    </div>
  );
}

function Footer() {
  return (
    <footer className="frame flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-6 text-sm text-ink-faint">
      <p>Delivered by Sendwell, which loses nothing on the way.</p>
      <Link to="/" className="link">
        Send files of your own
      </Link>
    </footer>
  );
}
