import { type ReactNode, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { FileIcon } from '../data/file-icon.tsx';

type ThumbnailProps = {
  /** Without one, an icon for the file type is shown. */
  src?: string | undefined;
  name: string;
  mimeType?: string | null | undefined;
  /** Classes for size and corners. */
  box?: string;
  className?: string | undefined;
};

/** Small picture of a file. Its box keeps the same size while loading and after a failure. */
export function Thumbnail({ src, name, mimeType, box = 'size-10 rounded-xs', className }: ThumbnailProps) {
  return (
    <span
      className={classNames(
        'grid shrink-0 place-items-center overflow-hidden',
        box,
        src !== undefined && 'bg-press',
        className,
      )}
    >
      <Picture src={src} className="size-full object-cover">
        <FileIcon fileName={name} mimeType={mimeType ?? null} />
      </Picture>
    </span>
  );
}

type PictureProps = {
  src: string | undefined;
  className: string;
  /** Fallback while there is no `src` or when it fails to load. */
  children: ReactNode;
};

/** Lazy-loaded decorative picture with a fallback. Text next to it must name the content. */
export function Picture({ src, className, children }: PictureProps) {
  const [failed, setFailed] = useState<string>();
  const [loaded, setLoaded] = useState<string>();
  if (src === undefined || src === failed) return children;
  return (
    <img
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      // A mid-gray, because transparent pictures may be drawn in black or in white.
      className={classNames(className, src === loaded && 'bg-edge')}
      onLoad={() => setLoaded(src)}
      onError={() => setFailed(src)}
    />
  );
}
