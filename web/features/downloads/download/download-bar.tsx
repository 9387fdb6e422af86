import { t } from '@lingui/core/macro';
import { ArrowDown } from 'lucide-react';
import { Button } from '../../../components/actions/button.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { DISC, Well } from '../../../components/feedback/well.tsx';
import { Ripples } from '../../../components/layout/ripples.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { BottomBar } from '../bottom-bar.tsx';
import type { MainAction } from './main-action.ts';

/** The download button of small screens, at the bottom. */
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
          busyLabel={t`Preparing Download...`}
          onClick={onStart}
        >
          {label}
        </Button>
      </BottomBar>
    </>
  );
}

/** The download button of large screens. */
export function DownloadWell({ label, detail, isPreparing, onStart }: MainAction) {
  return (
    <Well isFlowing={isPreparing}>
      <span
        aria-hidden="true"
        className="pointer-events-none absolute -z-10 size-[46rem] animate-[ring-spread_1.8s_var(--ease-settle)_both] rounded-full border-2 border-accent-ink"
      />
      <button
        type="button"
        aria-disabled={isPreparing || undefined}
        aria-busy={isPreparing || undefined}
        onClick={isPreparing ? undefined : onStart}
        className={classNames(
          DISC,
          'group size-56 animate-pop-in bg-accent text-on-accent transition-[background-color,scale] duration-(--brisk) ease-settle hover:bg-accent-hover active:scale-[0.97]',
          'focus-visible:outline-offset-6 forced-colors:border',
          // On hover a ring spreads from the button.
          'before:absolute before:inset-0 before:-z-10 before:rounded-full before:border before:border-accent-ink before:opacity-0 before:transition-[scale,opacity] before:duration-(--calm) before:ease-settle hover:before:scale-[1.16] hover:before:opacity-60',
        )}
      >
        <span className="flex flex-col items-center px-6 text-center">
          <span className="grid size-12 place-items-center">
            {isPreparing ? (
              <Spinner className="size-9" />
            ) : (
              <ArrowDown
                aria-hidden="true"
                strokeWidth={1.5}
                className="size-11 transition-[translate] duration-(--calm) ease-settle group-hover:translate-y-1"
              />
            )}
          </span>
          <span className="mt-2 max-w-[5em] font-heading text-xl">
            {isPreparing ? t`Preparing Download...` : label}
          </span>{' '}
          <span className="tabular mt-1.5 text-sm">{detail}</span>
        </span>
      </button>
    </Well>
  );
}
