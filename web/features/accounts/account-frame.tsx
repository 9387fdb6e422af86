import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { logout } from '../../api/session/session.ts';
import { useAction } from '../../api/use-action.ts';
import { HomeLink } from '../../components/layout/home-link.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { ThemeToggle } from '../../components/layout/theme-toggle.tsx';
import { classNames } from '../../lib/class-names.ts';
import { Link } from '../../lib/routing.tsx';

type AccountFrameProps = {
  /** `flow` shows that an action has succeeded. */
  motion?: 'still' | 'flow';
  /** Forms are left-aligned, single sentences centered. */
  align?: 'left' | 'center';
  children: ReactNode;
};

export function AccountFrame({ motion = 'still', align = 'center', children }: AccountFrameProps) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-hidden">
      <AccountHeader />
      <Ripples
        key={motion}
        motion={motion}
        tone={motion === 'flow' ? 'accent' : 'quiet'}
        count={motion === 'flow' ? 5 : 10}
        className="absolute top-1/2 left-1/2 -z-10 size-[max(80rem,110vw)] -translate-x-1/2 -translate-y-1/2"
      />
      <main
        id="main"
        tabIndex={-1}
        className={classNames(
          'flex grow flex-col justify-center px-gutter pt-24 pb-16 outline-none',
          align === 'center' && 'text-center',
        )}
      >
        <div className="mx-auto w-full max-w-[27rem]">{children}</div>
      </main>
    </div>
  );
}

/** Without navigation, so that nothing distracts from the task. */
export function AccountHeader() {
  return (
    <header className="absolute inset-x-0 top-0 z-20 flex min-h-18 items-center justify-between px-gutter">
      <HomeLink />
      <ThemeToggle />
    </header>
  );
}

type OutcomeProps = { icon: ReactNode; title: string; children: ReactNode };

/** The title takes the focus, so that screen readers announce the result. */
export function Outcome({ icon, title, children }: OutcomeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <span className="flex justify-center text-accent-ink [&_svg]:size-16" aria-hidden="true">
        {icon}
      </span>
      <h1 ref={heading} tabIndex={-1} className="mt-6 text-4xl outline-none">
        {title}
      </h1>
      {children}
    </>
  );
}

/** Ends an unverified session first, because /auth would redirect it back. */
export function BackToLogin({ isSignedIn = false }: { isSignedIn?: boolean }) {
  const [, navigate] = useLocation();
  const { mutate } = useAction(logout, {
    onSuccess: () => navigate(PAGES.auth),
    failure: t`Logout failed`,
  });
  const leave = (event: MouseEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Link to={PAGES.auth} className="link py-1" onClick={isSignedIn ? leave : undefined}>
      <Trans>Back to login</Trans>
    </Link>
  );
}
