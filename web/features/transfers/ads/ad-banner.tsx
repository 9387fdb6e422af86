import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Pause, Play, SkipForward } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { ShownAd } from '../../../../contracts/plans/ads.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Skeleton } from '../../../components/feedback/skeleton.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { AdMedia } from './ad-media.tsx';
import { recordAdEvent } from './ad-queries.ts';
import { formatHost, useAdTurns } from './ad-turns.ts';

/** The size doesn't depend on the ad, so that the page never shifts. */
const FRAME = 'mb-6 overflow-hidden rounded-lg border border-line bg-surface';
const STAGE = 'relative block aspect-5/2 overflow-hidden bg-sunken sm:aspect-4/1 lg:aspect-6/1';
const CAPTION = 'flex h-14 items-center gap-2 border-t border-line pr-2 pl-4';

/** Placeholder while the ads load. */
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

/** The ad banner of free users. Needs at least one ad. */
export function AdBanner({ ads }: { ads: ShownAd[] }) {
  const banner = useRef<HTMLElement>(null);
  const playButton = useRef<HTMLButtonElement>(null);
  const labelId = useId();
  const turns = useAdTurns(ads, banner);
  const { ad, turn, isPaused, canPause, canSkip } = turns;
  const skip = () => {
    // The skip button disappears with the ad: keep the keyboard focus nearby.
    playButton.current?.focus();
    turns.advance();
  };
  return (
    <section ref={banner} aria-labelledby={labelId} data-testid="ad-banner" className={FRAME}>
      <AdLink ad={ad} onHover={turns.setHovered}>
        <AdMedia key={turn} ad={ad} isPlaying={turns.isPlaying} isStill={isPaused} {...turns.mediaEvents} />
      </AdLink>
      <div className={CAPTION}>
        <div className="min-w-0 grow">
          <p id={labelId} className="text-xs text-ink-soft">
            <Trans>Advertisement</Trans>
          </p>
          {/* The title is shown above already. */}
          {turns.kind !== 'words' && (
            <p className="truncate text-sm font-medium">
              {ad.title} <span className="ml-1 font-normal text-ink-soft">{formatHost(ad.url)}</span>
            </p>
          )}
        </div>
        {canSkip && (
          <Button variant="secondary" size="sm" icon={<SkipForward />} onClick={skip}>
            <Trans>Skip</Trans>
          </Button>
        )}
        {canPause && (
          <IconButton
            ref={playButton}
            label={isPaused ? t`Play advertisements` : t`Pause advertisements`}
            icon={isPaused ? <Play /> : <Pause />}
            size="sm"
            onClick={() => turns.setPaused(!isPaused)}
          />
        )}
      </div>
    </section>
  );
}

type AdLinkProps = { ad: ShownAd; onHover: (isHovered: boolean) => void; children: ReactNode };

/** The ad's link, if it has one. Hovering or focusing it holds the rotation. */
function AdLink({ ad: { id, url }, onHover, children }: AdLinkProps) {
  const followed = () => recordAdEvent(id, 'click');
  const isLink = url !== null;
  // An unmounted link fires no leave event.
  useEffect(() => {
    if (isLink) return () => onHover(false);
  }, [isLink, onHover]);
  if (!isLink) return <div className={STAGE}>{children}</div>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener nofollow sponsored"
      className={`${STAGE} rounded-t-lg -outline-offset-3`}
      onClick={followed}
      onAuxClick={({ button }) => button === 1 && followed()}
      onPointerEnter={({ pointerType }) => onHover(pointerType === 'mouse')}
      onPointerLeave={() => onHover(false)}
      onFocus={({ currentTarget }) => onHover(currentTarget.matches(':focus-visible'))}
      onBlur={() => onHover(false)}
    >
      {children}
      <VisuallyHidden>
        <Trans>(opens in a new tab)</Trans>
      </VisuallyHidden>
    </a>
  );
}
