import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import type { LightboxItem } from './lightbox-item.ts';
import { MediaLoading } from './media-loading.tsx';
import type { Zoom } from './use-zoom.ts';

/** A thumbnail that reaches this is of something larger, and may fill the frame in its place. */
const FULL_THUMBNAIL_PIXELS = 400;

type MediaPictureProps = {
  item: LightboxItem;
  /** undefined: not the one that shows. */
  zoom: Zoom | undefined;
  onFail: () => void;
};

type Natural = { width: number; height: number };

/** A picture as large as fits, never larger than it is. Its thumbnail lies beneath until it has come. */
export function MediaPicture({ item, zoom, onFail }: MediaPictureProps) {
  const large = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<Natural>();
  const [thumbnailSize, setThumbnailSize] = useState<Natural>();
  // What was loaded as a neighbour is there at once.
  useLayoutEffect(() => {
    if (large.current?.complete && large.current.naturalWidth > 0) setSize(naturalOf(large.current));
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
            onLoad={(event) => setThumbnailSize(naturalOf(event.currentTarget))}
            className="absolute inset-0 size-full"
          />
        )}
        <img
          ref={large}
          src={item.previewUrl}
          alt={item.name}
          draggable={false}
          decoding="async"
          onLoad={(event) => setSize(naturalOf(event.currentTarget))}
          onError={onFail}
          className={classNames('absolute inset-0 size-full bg-edge', !size && 'opacity-0')}
        />
      </div>
      {!size && !thumbnailSize && <MediaLoading />}
    </div>
  );
}

/** The box has the picture's shape, so that its ground shows through the picture only. */
function boxOf(size: Natural | undefined, thumbnailSize: Natural | undefined): CSSProperties {
  const known = size ?? thumbnailSize;
  if (!known) return { '--ratio': '1', '--most': '0px' } as CSSProperties;
  const mayGrow = !size && Math.max(known.width, known.height) >= FULL_THUMBNAIL_PIXELS;
  return {
    '--ratio': String(known.width / known.height),
    '--most': mayGrow ? '100cqw' : `${known.width}px`,
  } as CSSProperties;
}

function naturalOf({ naturalWidth, naturalHeight }: HTMLImageElement): Natural {
  return { width: naturalWidth, height: naturalHeight };
}
