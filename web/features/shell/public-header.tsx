import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { LinkButton } from '../../components/link-button.tsx';
import { Logo } from '../../components/logo.tsx';
import { ThemeToggle } from '../../components/theme-toggle.tsx';

type PublicHeaderProps = {
  /** Decides between the Dashboard and the Sign In button; `undefined` (unknown yet) shows neither. */
  isSignedIn: boolean | undefined;
  /** Further links ("Pricing"), before the theme toggle. */
  children?: ReactNode;
  /** Lies over a picture instead of on the page. */
  isOverlay?: boolean;
};

/** The top of every page that needs no account (specification section 2). */
export function PublicHeader({ isSignedIn, children, isOverlay = false }: PublicHeaderProps) {
  return (
    <header className={isOverlay ? 'absolute inset-x-0 top-0 z-20' : 'relative z-20'}>
      <div className="frame flex min-h-18 items-center justify-between gap-3 py-3">
        <Link to="/" aria-label="Sendwell home" className="rounded-full py-1 pr-2">
          <Logo />
        </Link>
        <div className="flex items-center gap-2">
          {children}
          <ThemeToggle />
          <SessionButton isSignedIn={isSignedIn} />
        </div>
      </div>
    </header>
  );
}

function SessionButton({ isSignedIn }: { isSignedIn: boolean | undefined }) {
  // Keeps its place while the session is unknown, so that nothing jumps.
  if (isSignedIn === undefined) return <span className="h-control-sm w-20" />;
  return (
    <LinkButton to={isSignedIn ? '/dashboard' : '/auth'} variant="secondary" size="sm">
      {isSignedIn ? 'Dashboard' : 'Sign In'}
    </LinkButton>
  );
}
