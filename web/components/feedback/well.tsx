import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { Ripples } from '../layout/ripples.tsx';

/** The round thing in the middle. */
export const DISC = 'relative grid shrink-0 place-items-center self-center rounded-full';

type WellProps = { isFlowing?: boolean; children: ReactNode };

/** The picture of the page: rings spreading from what lies in the middle. */
export function Well({ isFlowing = false, children }: WellProps) {
  return (
    <div className="relative grid place-items-center">
      <Ripples
        count={9}
        motion={isFlowing ? 'flow' : 'arrive'}
        tone={isFlowing ? 'accent' : 'quiet'}
        className="absolute top-1/2 left-1/2 -z-10 size-[44rem] -translate-x-1/2 -translate-y-1/2 [--ripple:4s] lg:size-[84rem]"
      />
      {children}
    </div>
  );
}

/** Still water. The sign says what it is about; the words beside the well say it too. */
export function StillWell({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <Well>
      <div
        className={classNames(
          DISC,
          'size-24 border border-line-firm bg-canvas text-ink-soft lg:size-52 [&>svg]:size-8 lg:[&>svg]:size-14',
          className,
        )}
      >
        {children}
      </div>
    </Well>
  );
}
