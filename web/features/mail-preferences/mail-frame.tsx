import type { ReactNode } from 'react';
import { HomeLink } from '../../components/layout/home-link.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { ThemeToggle } from '../../components/layout/theme-toggle.tsx';

type MailFrameProps = {
  /** Moving while subscribed, still after unsubscribing. */
  water: 'moving' | 'still';
  children: ReactNode;
};

/** Stays mounted between states. Doesn't load the session, because recipients of emails may have none. */
export function MailFrame({ water, children }: MailFrameProps) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-clip">
      {/* React moves it into the head. */}
      <meta name="robots" content="noindex" />
      <header className="frame flex min-h-18 items-center justify-between py-3">
        <HomeLink />
        <ThemeToggle />
      </header>
      <Ripples
        key={water}
        view="slanted"
        motion={water === 'moving' ? 'flow' : 'still'}
        tone={water === 'moving' ? 'accent' : 'quiet'}
        count={water === 'moving' ? 6 : 9}
        // Fade the rings out below the text, to keep it readable.
        className="absolute top-[88%] left-1/2 -z-10 w-[max(76rem,115vw)] -translate-x-1/2 -translate-y-1/2 [mask-image:linear-gradient(to_bottom,transparent_24%,black_52%)]"
      />
      <main
        id="main"
        tabIndex={-1}
        className="frame flex grow flex-col justify-center pt-6 pb-[max(9rem,26vh)] text-center outline-none"
      >
        <div className="mx-auto w-full max-w-[36rem]">{children}</div>
      </main>
    </div>
  );
}
