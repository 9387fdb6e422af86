import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ShownAd } from '../../../contracts/plans/ads.ts';
import { findAdSource, isAnimated } from './ad-queries.ts';
import { hostOf } from './ad-rotation.ts';

export type AdKind = 'image' | 'animation' | 'video' | 'words';

type AdMediaProps = {
  ad: ShownAd;
  isPlaying: boolean;
  /** Paused by the user or by the browser's setting for reduced motion. */
  isStill: boolean;
  /** Called when the ad is visible, and again when a picture turns out to be an animation. */
  onReady: (kind: AdKind) => void;
  onEnd: () => void;
  /** The browser does not let it play by itself. */
  onRefused: () => void;
};

/** What an ad shows: its picture or film, and its words when neither comes. */
export function AdMedia({ ad, isPlaying, isStill, onReady, onEnd, onRefused }: AdMediaProps) {
  const { source, onFail } = useAdSource(ad, () => onReady('words'));
  if (source === undefined) return null;
  if (source === null) return <AdWords ad={ad} />;
  if (ad.type === 'image')
    return <AdPicture src={source} title={ad.title} {...{ isStill, onReady, onFail }} />;
  return <AdFilm src={source} title={ad.title} {...{ isPlaying, onReady, onFail, onEnd, onRefused }} />;
}

/** undefined: on its way; null: there is nothing that can be shown. The file comes first, then the own address. */
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
  const tell = useRef(onNone);
  tell.current = onNone;
  useEffect(() => {
    if (source === null) tell.current();
  }, [source]);
  const onFail = () => {
    console.warn('An ad could not be shown', source);
    setSource(source === shownAd.url ? null : shownAd.url);
  };
  return { source, onFail };
}

type PictureProps = { src: string; title: string; onReady: (kind: AdKind) => void; onFail: () => void };

/**
 * Shows the whole picture whatever its shape, and fills the rest with its blurred colors. Browsers cannot pause an
 * animated picture, so a still one is drawn over it.
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

/** One frame of a loaded picture. */
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

type FilmProps = PictureProps & Pick<AdMediaProps, 'isPlaying' | 'onEnd' | 'onRefused'>;

function AdFilm({ src, title, isPlaying, onReady, onFail, onEnd, onRefused }: FilmProps) {
  const film = useRef<HTMLVideoElement>(null);
  const refused = useRef(onRefused);
  refused.current = onRefused;
  useEffect(() => {
    if (!isPlaying) film.current?.pause();
    else
      film.current?.play().catch((error: Error) => {
        // Others come of pausing, and of bytes that are no film, which `onError` tells.
        if (error.name === 'NotAllowedError') refused.current();
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
      {url !== null && <span className="truncate text-sm text-ink-soft">{hostOf(url)}</span>}
    </span>
  );
}
