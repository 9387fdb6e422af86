import type { ReactNode } from 'react';
import { Ripples } from '../../components/layout/ripples.tsx';
import { classNames } from '../../lib/class-names.ts';
import { AccountHeader } from './account-header.tsx';

type AccountFrameProps = {
  /** `flow`: something has been done. */
  motion?: 'still' | 'flow';
  /** Forms read from the left, single sentences from the middle. */
  align?: 'left' | 'center';
  children: ReactNode;
};

/** A page about one thing of an account, in the middle of still water. */
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
