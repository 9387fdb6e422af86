import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AudioLines, WrapText } from 'lucide-react';
import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TEXT_PREVIEW_BYTES } from '../../../contracts/transfers/downloads/previews.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { classNames } from '../../lib/class-names.ts';
import { useLoaded } from '../../lib/hooks/use-loaded.ts';
import { Button } from '../actions/button.tsx';
import { Spinner } from '../feedback/spinner.tsx';
import { Ripples } from '../layout/ripples.tsx';
import type { LightboxItem } from './lightbox.tsx';
import { readTextStart } from './read-text.ts';
import type { Zoom } from './zoom.ts';

/** Thumbnails of at least this size stand for larger pictures, so they are scaled up while the preview loads. */
const MIN_LARGE_THUMBNAIL_PIXELS = 400;

type MediaPictureProps = {
  item: LightboxItem;
  /** undefined unless this is the current item. */
  zoom: Zoom | undefined;
  onFail: () => void;
};

type PixelSize = { width: number; height: number };

/** A picture that fits the frame and is not scaled up. Shows the thumbnail until it has loaded. */
export function MediaPicture({ item, zoom, onFail }: MediaPictureProps) {
  const large = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<PixelSize>();
  const [thumbnailSize, setThumbnailSize] = useState<PixelSize>();
  // A preloaded picture can be complete before React attaches the load handler.
  useLayoutEffect(() => {
    if (large.current?.complete && large.current.naturalWidth > 0) setSize(naturalSizeOf(large.current));
  }, []);
  return (
    <div ref={zoom?.frame} className="@container-[size] relative grid size-full place-items-center">
      <div
        ref={zoom?.picture}
        data-testid={zoom && 'lightbox-picture'}
        className={classNames(
          'relative aspect-(--ratio) w-[min(100cqw,100cqh*var(--ratio),var(--most))]',
          zoom &&
            'translate-x-(--pan-x,0px) translate-y-(--pan-y,0px) scale-(--zoom,1) transition-[translate,scale] duration-(--brisk) ease-settle group-data-dragging/stage:transition-none',
        )}
        style={boxOf(size, thumbnailSize)}
      >
        {item.thumbnailUrl !== undefined && !size && (
          <img
            src={item.thumbnailUrl}
            alt=""
            draggable={false}
            onLoad={(event) => setThumbnailSize(naturalSizeOf(event.currentTarget))}
            className="absolute inset-0 size-full"
          />
        )}
        <img
          ref={large}
          src={item.previewUrl}
          alt={item.name}
          draggable={false}
          decoding="async"
          onLoad={(event) => setSize(naturalSizeOf(event.currentTarget))}
          onError={onFail}
          className={classNames('absolute inset-0 size-full bg-edge', !size && 'opacity-0')}
        />
      </div>
      {!size && !thumbnailSize && <MediaLoading />}
    </div>
  );
}

/** Gives the box the aspect ratio of the picture, so that its background shows only through transparent pixels. */
function boxOf(size: PixelSize | undefined, thumbnailSize: PixelSize | undefined): CSSProperties {
  const known = size ?? thumbnailSize;
  if (!known) return { '--ratio': '1', '--most': '0px' } as CSSProperties;
  const canUpscale = !size && Math.max(known.width, known.height) >= MIN_LARGE_THUMBNAIL_PIXELS;
  return {
    '--ratio': String(known.width / known.height),
    '--most': canUpscale ? '100cqw' : `${known.width}px`,
  } as CSSProperties;
}

function naturalSizeOf({ naturalWidth, naturalHeight }: HTMLImageElement): PixelSize {
  return { width: naturalWidth, height: naturalHeight };
}

type MediaPlayerProps = {
  item: LightboxItem;
  /** Neighbors don't load or play. */
  isShown: boolean;
  onFail: () => void;
};

/** Video and audio with the browser's native controls. */
export function MediaPlayer({ item, isShown, onFail }: MediaPlayerProps) {
  const media = {
    src: item.previewUrl,
    'aria-label': item.name,
    controls: true,
    preload: 'metadata',
    'data-own-keys': '',
    onError: onFail,
  } as const;
  if (item.kind === 'audio') {
    return (
      <div className="grid size-full place-items-center p-6">
        <div className="relative flex w-full max-w-lg flex-col items-center gap-10">
          <div className="relative grid size-56 place-items-center">
            <Ripples className="absolute inset-0" motion="arrive" tone="accent" />
            <AudioLines aria-hidden="true" strokeWidth={1.25} className="size-14 text-accent-ink" />
          </div>
          {isShown && <audio {...media} data-own-gestures="" className="w-full" />}
        </div>
      </div>
    );
  }
  if (!isShown) return <Poster url={item.thumbnailUrl} />;
  return <video {...media} poster={item.thumbnailUrl} playsInline className="size-full object-contain" />;
}

function Poster({ url }: { url: string | undefined }) {
  return url === undefined ? null : <img src={url} alt="" className="size-full object-contain" />;
}

type MediaTextProps = {
  item: LightboxItem;
  /** Neighbors don't load. */
  isShown: boolean;
  onFail: () => void;
};

/** The start of a text file. Always plain text, so that markup in it has no effect. */
export function MediaText({ item, isShown, onFail }: MediaTextProps) {
  const { data, error } = useLoaded(isShown ? item.previewUrl : undefined, (signal) =>
    fetchTextStart(item.previewUrl, signal),
  );
  const [isWrapped, setIsWrapped] = useState(true);
  useEffect(() => {
    if (error) onFail();
  }, [error, onFail]);
  if (!data) return <MediaLoading />;
  const isCut = data.isCut || item.sizeBytes > TEXT_PREVIEW_BYTES;
  return (
    <div className="flex size-full animate-fade-in flex-col gap-3 px-3 sm:mx-auto sm:max-w-[72rem] sm:px-20">
      <div className="flex shrink-0 items-center justify-between gap-4 pl-2">
        <p className="text-sm text-ink-soft">
          {isCut && t`Cut at ${formatSize(TEXT_PREVIEW_BYTES)}. Download the file to read all of it.`}
        </p>
        <Button
          variant="ghost"
          size="sm"
          icon={<WrapText aria-hidden="true" />}
          aria-pressed={isWrapped}
          className="aria-pressed:text-accent-ink"
          onClick={() => setIsWrapped(!isWrapped)}
        >
          <Trans>Wrap lines</Trans>
        </Button>
      </div>
      <section
        aria-label={item.name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard.
        tabIndex={0}
        {...(!isWrapped && { 'data-own-keys': '', 'data-own-gestures': '' })}
        className={classNames(
          'min-h-0 grow overflow-auto overscroll-contain rounded-md border border-line bg-surface p-4 focus-visible:-outline-offset-2 sm:p-6',
          isWrapped ? 'touch-pan-y' : 'touch-auto',
        )}
      >
        <pre
          className={classNames(
            'font-mono text-sm leading-relaxed [tab-size:4]',
            isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : 'w-max',
          )}
        >
          {data.text}
        </pre>
      </section>
    </div>
  );
}

async function fetchTextStart(url: string, signal: AbortSignal) {
  const response = await fetch(url, { signal, credentials: 'same-origin' });
  if (!response.ok || !response.body) throw new Error(`Preview failed with status ${response.status}`);
  return readTextStart(response.body, TEXT_PREVIEW_BYTES);
}

/** Appears after a delay, so that fast previews show no spinner. */
function MediaLoading() {
  return (
    <p
      role="status"
      className="absolute inset-0 m-auto flex size-fit animate-fade-in items-center gap-3 text-ink-soft [animation-delay:250ms]"
    >
      <Spinner className="size-5" /> <Trans>Loading preview</Trans>
    </p>
  );
}
