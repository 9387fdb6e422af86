import { ArrowDown } from 'lucide-react';
import { Button } from '../../components/actions/button.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { BottomBar } from './bottom-bar.tsx';
import type { MainAction } from './main-action.ts';

/** The well of small screens: the download stays under the thumb, and its rings spread behind the page. */
export function DownloadBar({ label, detail, isPreparing, onStart }: MainAction) {
  return (
    <>
      <Ripples
        count={7}
        motion={isPreparing ? 'flow' : 'arrive'}
        tone={isPreparing ? 'accent' : 'quiet'}
        className="fixed bottom-9 left-1/2 -z-10 size-[52rem] -translate-x-1/2 translate-y-1/2 [--ripple:4s] lg:hidden"
      />
      <BottomBar className="lg:hidden">
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
      </BottomBar>
    </>
  );
}
