import { Pause, Play, SkipForward } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { ShownAd } from '../../../contracts/plans/ads.ts';
import { Button } from '../../components/button.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { AdMedia } from './ad-media.tsx';
import { noteAd } from './ad-queries.ts';
import { hostOf } from './ad-rotation.ts';
import { useAdTurns } from './use-ad-turns.ts';

/** Its size does not depend on what it shows, so that nothing below it ever moves. */
const FRAME = 'mb-6 overflow-hidden rounded-lg border border-line bg-surface';
const STAGE = 'relative block aspect-5/2 overflow-hidden bg-sunken sm:aspect-4/1 lg:aspect-6/1';
const CAPTION = 'flex h-14 items-center gap-2 border-t border-line pr-2 pl-4';

/** The banner's room while it is not known whether there are ads. */
export function AdPlace() {
  return (
    <div aria-hidden="true" className={FRAME}>
      <div className={STAGE} />
      <div className={CAPTION}>
        <Skeleton className="h-4 w-40" />
      </div>
    </div>
  );
}

/** What free users see of others (specification section 2, "Ad banner"). At least one ad. */
export function AdBanner({ ads }: { ads: ShownAd[] }) {
  const banner = useRef<HTMLElement>(null);
  const playButton = useRef<HTMLButtonElement>(null);
  const labelId = useId();
  const turns = useAdTurns(ads, banner);
  const { ad, turn, isPaused, canPause, canSkip } = turns;
  const skip = () => {
    // The button goes with the ad; whoever pressed it by keyboard stays where they are.
    playButton.current?.focus();
    turns.advance();
  };
  return (
    <section ref={banner} aria-labelledby={labelId} data-testid="ad-banner" className={FRAME}>
      <AdLink ad={ad} onHold={turns.setHeld}>
        <AdMedia key={turn} ad={ad} isPlaying={turns.isPlaying} isStill={isPaused} {...turns.mediaEvents} />
      </AdLink>
      <div className={CAPTION}>
        <div className="min-w-0 grow">
          <p id={labelId} className="text-xs text-ink-soft">
            Advertisement
          </p>
          {/* Its words stand above already. */}
          {turns.kind !== 'words' && (
            <p className="truncate text-sm font-medium">
              {ad.title} <span className="ml-1 font-normal text-ink-soft">{hostOf(ad.url)}</span>
            </p>
          )}
        </div>
        {canSkip && (
          <Button variant="secondary" size="sm" icon={<SkipForward />} onClick={skip}>
            Skip
          </Button>
        )}
        {canPause && (
          <IconButton
            ref={playButton}
            label={isPaused ? 'Play advertisements' : 'Pause advertisements'}
            icon={isPaused ? <Play /> : <Pause />}
            size="sm"
            onClick={() => turns.setPaused(!isPaused)}
          />
        )}
      </div>
    </section>
  );
}

type AdLinkProps = { ad: ShownAd; onHold: (isHeld: boolean) => void; children: ReactNode };

/** Leads where the ad leads, if anywhere. While somebody is about to follow it, it does not become another. */
function AdLink({ ad: { id, url }, onHold, children }: AdLinkProps) {
  const followed = () => noteAd(id, 'click');
  const isLink = url !== null;
  // A link that goes is never left.
  useEffect(() => {
    if (isLink) return () => onHold(false);
  }, [isLink, onHold]);
  if (!isLink) return <div className={STAGE}>{children}</div>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener nofollow sponsored"
      className={`${STAGE} rounded-t-lg -outline-offset-3`}
      onClick={followed}
      onAuxClick={({ button }) => button === 1 && followed()}
      onPointerEnter={({ pointerType }) => onHold(pointerType === 'mouse')}
      onPointerLeave={() => onHold(false)}
      onFocus={({ currentTarget }) => onHold(currentTarget.matches(':focus-visible'))}
      onBlur={() => onHold(false)}
    >
      {children}
      <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
    </a>
  );
}
