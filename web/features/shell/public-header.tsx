import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { HeaderBar } from '../../components/layout/header-bar.tsx';
import { ThemeToggle } from '../../components/layout/theme-toggle.tsx';

type PublicHeaderProps = {
  /** Decides between the Dashboard and the Sign In button; `undefined` (unknown yet) shows neither. */
  isSignedIn: boolean | undefined;
  /** Links before the theme toggle. */
  children?: ReactNode;
  /** Placed over a picture. */
  isOverlay?: boolean;
};

export function PublicHeader({ isSignedIn, children, isOverlay }: PublicHeaderProps) {
  return (
    <HeaderBar isOverlay={isOverlay}>
      {children}
      <ThemeToggle />
      <SessionButton isSignedIn={isSignedIn} />
    </HeaderBar>
  );
}

function SessionButton({ isSignedIn }: { isSignedIn: boolean | undefined }) {
  // Reserves its space while the session loads, to avoid a layout shift.
  if (isSignedIn === undefined) return <span className="h-control-sm w-20" />;
  return (
    <LinkButton to={isSignedIn ? '/dashboard' : '/auth'} variant="secondary" size="sm">
      {isSignedIn ? t`Dashboard` : t`Sign In`}
    </LinkButton>
  );
}
