import { ArrowDown } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { Ripples } from '../../components/ripples.tsx';
import type { MainAction } from './main-action.ts';

/** The well of small screens: the download stays under the thumb, and its rings spread behind the page. */
export function DownloadBar({ label, detail, isPreparing, onStart }: MainAction) {
  const bar = useRef<HTMLDivElement>(null);
  useKeepFocusAbove(bar);
  return (
    <>
      <Ripples
        count={7}
        motion={isPreparing ? 'flow' : 'arrive'}
        tone={isPreparing ? 'accent' : 'quiet'}
        className="fixed bottom-9 left-1/2 -z-10 size-[52rem] -translate-x-1/2 translate-y-1/2 [--ripple:4s] lg:hidden"
      />
      <div
        ref={bar}
        className="sticky bottom-0 z-10 border-t border-line bg-canvas/90 pb-[env(safe-area-inset-bottom)] backdrop-blur-md lg:hidden"
      >
        <div className="frame flex items-center gap-4 py-3">
          <p className="tabular hidden grow text-ink-soft sm:block">{detail}</p>
          <Button
            size="lg"
            className="max-sm:grow"
            icon={<ArrowDown aria-hidden="true" />}
            isBusy={isPreparing}
            busyLabel="Preparing Download..."
            onClick={onStart}
          >
            {label}
          </Button>
        </div>
      </div>
    </>
  );
}

/** What gets the focus scrolls clear of the bar (WCAG 2.4.11). */
function useKeepFocusAbove(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      root.style.scrollPaddingBottom = height > 0 ? `${height + 16}px` : '';
    });
    if (bar.current) observer.observe(bar.current);
    return () => {
      observer.disconnect();
      root.style.scrollPaddingBottom = '';
    };
  }, [bar]);
}
