import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { Ripples } from '../layout/ripples.tsx';

export const DISC = 'relative grid shrink-0 place-items-center self-center rounded-full';

type WellProps = { isFlowing?: boolean; children: ReactNode };

/** Rings around an element, the visual motif of the product. */
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

/** Decorative: text next to it must say the same. */
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
