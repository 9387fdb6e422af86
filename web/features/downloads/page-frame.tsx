import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '../../components/logo.tsx';
import { ThemeToggle } from '../../components/theme-toggle.tsx';
import { type Background, PageBackground } from './page-background.tsx';
import { ReportAbuse } from './report-abuse.tsx';

type PageFrameProps = {
  /** Of a transfer that is there: then abuse of it can be reported. */
  token?: string;
  /** The sender's picture, if there is one to show. */
  background: Background | undefined;
  /** What sticks to the window's bottom edge on small screens. */
  bar?: ReactNode;
  /** The footer waits until its place is known, so that it does not jump. */
  isLoading?: boolean;
  children: ReactNode;
};

/** What stays while the page goes from one state to the next. It asks nothing about a session: recipients have none. */
export function PageFrame({ token, background, bar, isLoading = false, children }: PageFrameProps) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-clip">
      {/* React moves it into the head. Share links are secrets and no matter for search engines. */}
      <meta name="robots" content="noindex" />
      {background && <PageBackground {...background} />}
      <header className="frame flex min-h-18 items-center justify-between py-3">
        <Link to="/" aria-label="Sendwell home" className="rounded-full py-1 pr-2">
          <Logo />
        </Link>
        {/* Over a picture the page is dark in both themes: the toggle would do nothing. */}
        {!background && <ThemeToggle />}
      </header>
      <main id="main" tabIndex={-1} className="flex grow flex-col outline-none">
        {children}
      </main>
      {!isLoading && <Footer token={token} />}
      {bar}
    </div>
  );
}

function Footer({ token }: { token: string | undefined }) {
  return (
    <footer className="frame flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-6 text-sm text-ink-faint">
      <p>Delivered by Sendwell, which loses nothing on the way.</p>
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        {token && <ReportAbuse token={token} />}
        <Link to="/" className="link">
          Send files of your own
        </Link>
      </div>
    </footer>
  );
}
