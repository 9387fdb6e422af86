import { type RefObject, useCallback, useEffect, useState } from 'react';
import { AD_DURATION_DEFAULT, type ShownAd } from '../../../../contracts/plans/ads.ts';
import { useIsSeen } from '../../../lib/hooks/use-is-seen.ts';
import { usePausableTimer } from '../../../lib/time/use-pausable-timer.ts';
import { recordAdEvent } from './ad-queries.ts';

const STILL = '(prefers-reduced-motion: reduce)';
/** A view counts after this long, with half of the ad visible (industry standard). */
const VIEW_MS = 1_000;
/** "A Skip button appears after 5 seconds." */
const SKIP_MS = 5_000;

/** What a visitor sees of an ad. */
export type AdKind = 'image' | 'animation' | 'video' | 'words';

type Turn = {
  ad: ShownAd;
  number: number;
  /** Undefined while loading. */
  kind?: AdKind;
  hasEnded?: boolean;
  canSkip?: boolean;
};

/**
 * The current ad. Pictures show for their duration, videos until they end. The rotation stops while the banner is out
 * of view, paused, or hovered (the user may be about to follow the ad), and with reduced motion.
 */
export function useAdTurns(ads: ShownAd[], banner: RefObject<Element | null>) {
  const [turn, setTurn] = useState<Turn>(() => ({ ad: pickAd(ads, undefined, Math.random())!, number: 0 }));
  const [isPaused, setPaused] = useState(() => window.matchMedia(STILL).matches);
  const [isHovered, setHovered] = useState(false);
  const isSeen = useIsSeen(banner);
  const { ad, number, kind } = turn;
  const isMany = ads.length > 1;
  const isMoving = isSeen && !isPaused;

  const change = useCallback(
    (part: Partial<Turn>) =>
      setTurn((current) => (current.number === number ? { ...current, ...part } : current)),
    [number],
  );
  const advance = useCallback(
    () => setTurn({ ad: pickAd(ads, ad.id, Math.random())!, number: number + 1 }),
    [ads, ad.id, number],
  );
  const isOver = !ads.some(({ id }) => id === ad.id) || (turn.hasEnded && isMany && !isHovered);
  useEffect(() => {
    if (isOver) advance();
  }, [isOver, advance]);

  usePausableTimer({
    subject: number,
    durationMs: 1_000 * (ad.type === 'image' ? ad.duration : AD_DURATION_DEFAULT),
    isRunning: isMany && isMoving && !isHovered && kind !== undefined && kind !== 'video',
    onDone: advance,
  });
  usePausableTimer({
    subject: number,
    durationMs: SKIP_MS,
    isRunning: isMany && isSeen && ad.type === 'video',
    onDone: () => change({ canSkip: true }),
  });
  usePausableTimer({
    subject: number,
    durationMs: VIEW_MS,
    isRunning: isSeen && kind !== undefined,
    onDone: () => recordAdEvent(ad.id, 'view'),
  });

  return {
    ad,
    turn: number,
    kind,
    isPaused,
    setPaused,
    setHovered,
    advance,
    isPlaying: isMoving,
    canPause: isMany || ad.type === 'video' || kind === 'animation',
    canSkip: isMany && turn.canSkip === true,
    mediaEvents: {
      onReady: (seenAs: AdKind) => change({ kind: seenAs }),
      onEnd: () => (isMany ? change({ hasEnded: true }) : setPaused(true)),
      onBlocked: () => setPaused(true),
    },
  };
}

type Weighted = Pick<ShownAd, 'id' | 'priority'>;

/**
 * Picks the next ad at random, weighted by priority. Never the current one unless it is the only one; undefined if
 * there are no ads. `chance` lies in [0, 1).
 */
export function pickAd<Ad extends Weighted>(
  ads: readonly Ad[],
  currentId: string | undefined,
  chance: number,
): Ad | undefined {
  const others = ads.filter(({ id }) => id !== currentId);
  const choice = others.length > 0 ? others : ads;
  let left = chance * choice.reduce((sum, { priority }) => sum + priority, 0);
  for (const ad of choice) {
    left -= ad.priority;
    if (left < 0) return ad;
  }
  return choice.at(-1);
}

/** The host without `www.`; undefined if the URL is invalid. */
export function formatHost(url: string | null): string | undefined {
  return url === null ? undefined : URL.parse(url)?.host.replace(/^www\./, '');
}
