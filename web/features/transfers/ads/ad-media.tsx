import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ShownAd } from '../../../../contracts/plans/ads.ts';
import { findAdSource, isAnimated } from './ad-queries.ts';
import { type AdKind, formatHost } from './ad-turns.ts';

type AdMediaProps = {
  ad: ShownAd;
  isPlaying: boolean;
  /** Paused by the user or because of reduced motion. */
  isStill: boolean;
  /** Called when the ad is visible, and again when a picture turns out to be an animation. */
  onReady: (kind: AdKind) => void;
  onEnd: () => void;
  /** The browser blocked autoplay. */
  onBlocked: () => void;
};

/** Shows the ad's picture or video, or its title if neither loads. */
export function AdMedia({ ad, isPlaying, isStill, onReady, onEnd, onBlocked }: AdMediaProps) {
  const { source, onFail } = useAdSource(ad, () => onReady('words'));
  if (source === undefined) return null;
  if (source === null) return <AdWords ad={ad} />;
  if (ad.type === 'image')
    return <AdPicture src={source} title={ad.title} {...{ isStill, onReady, onFail }} />;
  return <AdFilm src={source} title={ad.title} {...{ isPlaying, onReady, onFail, onEnd, onBlocked }} />;
}

/** Tries the file, then the ad's own URL. Undefined while loading, null if neither works. */
function useAdSource(ad: ShownAd, onNone: () => void) {
  const [source, setSource] = useState<string | null>();
  const [shownAd] = useState(ad);
  useEffect(() => {
    let isGone = false;
    void findAdSource(shownAd).then((found) => {
      if (!isGone) setSource(found);
    });
    return () => {
      isGone = true;
    };
  }, [shownAd]);
  const reportNone = useRef(onNone);
  reportNone.current = onNone;
  useEffect(() => {
    if (source === null) reportNone.current();
  }, [source]);
  const onFail = () => {
    console.warn('An ad could not be shown', source);
    setSource(source === shownAd.url ? null : shownAd.url);
  };
  return { source, onFail };
}

type PictureProps = { src: string; title: string; onReady: (kind: AdKind) => void; onFail: () => void };

/**
 * Shows the whole picture and fills the rest with its blurred colors. Browsers can't pause animated pictures, so a
 * still frame is drawn over them.
 */
function AdPicture({ src, title, isStill, onReady, onFail }: PictureProps & Pick<AdMediaProps, 'isStill'>) {
  const picture = useRef<HTMLImageElement>(null);
  const [isLoaded, setIsLoaded] = useState(false);
  const show = () => {
    setIsLoaded(true);
    onReady('image');
    void isAnimated(src).then((isMoving) => isMoving && onReady('animation'));
  };
  return (
    <>
      {isLoaded && (
        <Frame
          of={picture}
          className="absolute inset-0 size-full scale-110 animate-fade-in object-cover opacity-45 blur-2xl"
        />
      )}
      <img
        ref={picture}
        src={src}
        draggable={false}
        referrerPolicy="no-referrer"
        alt={title}
        onLoad={show}
        onError={onFail}
        className={`absolute inset-0 size-full object-contain ${isStill ? 'opacity-0' : 'animate-fade-in'}`}
      />
      {isLoaded && isStill && <Frame of={picture} className="absolute inset-0 size-full object-contain" />}
    </>
  );
}

function Frame({ of, className }: { of: RefObject<HTMLImageElement | null>; className: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const picture = of.current;
    if (!canvas.current || !picture) return;
    canvas.current.width = picture.naturalWidth;
    canvas.current.height = picture.naturalHeight;
    canvas.current.getContext('2d')?.drawImage(picture, 0, 0);
  }, [of]);
  return <canvas ref={canvas} className={className} />;
}

type FilmProps = PictureProps & Pick<AdMediaProps, 'isPlaying' | 'onEnd' | 'onBlocked'>;

function AdFilm({ src, title, isPlaying, onReady, onFail, onEnd, onBlocked }: FilmProps) {
  const film = useRef<HTMLVideoElement>(null);
  const blocked = useRef(onBlocked);
  blocked.current = onBlocked;
  useEffect(() => {
    if (!isPlaying) film.current?.pause();
    else
      film.current?.play().catch((error: Error) => {
        // Other errors come from pausing, or from invalid files, which `onError` reports.
        if (error.name === 'NotAllowedError') blocked.current();
      });
  }, [isPlaying]);
  return (
    <video
      ref={film}
      src={src}
      aria-label={title}
      muted
      playsInline
      disablePictureInPicture
      preload="auto"
      onLoadedData={() => onReady('video')}
      onError={onFail}
      onEnded={onEnd}
      className="absolute inset-0 size-full animate-fade-in object-contain"
    />
  );
}

function AdWords({ ad: { title, url } }: { ad: ShownAd }) {
  return (
    <span className="absolute inset-0 grid place-content-center gap-1 bg-accent-wash px-6 text-center">
      <span className="line-clamp-2 text-xl font-semibold wrap-anywhere">{title}</span>
      {url !== null && <span className="truncate text-sm text-ink-soft">{formatHost(url)}</span>}
    </span>
  );
}
