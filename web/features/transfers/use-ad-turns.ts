import { type RefObject, useCallback, useEffect, useState } from 'react';
import { AD_DURATION_DEFAULT, type ShownAd } from '../../../contracts/plans/ads.ts';
import { useIsSeen } from '../../lib/use-is-seen.ts';
import { usePausableTimer } from '../../lib/use-pausable-timer.ts';
import type { AdKind } from './ad-media.tsx';
import { noteAd } from './ad-queries.ts';
import { pickAd } from './ad-rotation.ts';

const STILL = '(prefers-reduced-motion: reduce)';
/** Half of it in the window for so long is a view (as the advertising trade counts). */
const VIEW_MS = 1_000;
/** "A Skip button appears after 5 seconds." */
const SKIP_MS = 5_000;

type Turn = {
  ad: ShownAd;
  number: number;
  /** What is to be seen of it; undefined while that is on its way. */
  kind?: AdKind;
  hasEnded?: boolean;
  canSkip?: boolean;
};

/**
 * Which ad shows, and when it is the next one's turn: a picture's after its seconds, a film's at its end. Time
 * stands still while the banner is not seen, while somebody has paused it or asks for stillness, and (`setHeld`)
 * while somebody is about to follow the ad.
 */
export function useAdTurns(ads: ShownAd[], banner: RefObject<Element | null>) {
  const [turn, setTurn] = useState<Turn>(() => ({ ad: pickAd(ads, undefined, Math.random())!, number: 0 }));
  const [isPaused, setPaused] = useState(() => window.matchMedia(STILL).matches);
  const [isHeld, setHeld] = useState(false);
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
  const isOver = !ads.some(({ id }) => id === ad.id) || (turn.hasEnded && isMany && !isHeld);
  useEffect(() => {
    if (isOver) advance();
  }, [isOver, advance]);

  usePausableTimer({
    subject: number,
    durationMs: 1_000 * (ad.type === 'image' ? ad.duration : AD_DURATION_DEFAULT),
    isRunning: isMany && isMoving && !isHeld && kind !== undefined && kind !== 'video',
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
    onDone: () => noteAd(ad.id, 'view'),
  });

  return {
    ad,
    turn: number,
    kind,
    isPaused,
    setPaused,
    setHeld,
    advance,
    isPlaying: isMoving,
    canPause: isMany || ad.type === 'video' || kind === 'animation',
    canSkip: isMany && turn.canSkip === true,
    mediaEvents: {
      onReady: (seenAs: AdKind) => change({ kind: seenAs }),
      onEnd: () => (isMany ? change({ hasEnded: true }) : setPaused(true)),
      onRefused: () => setPaused(true),
    },
  };
}
