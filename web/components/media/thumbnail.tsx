import { type ReactNode, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { FileIcon } from '../file-icon.tsx';

type ThumbnailProps = {
  /** undefined: there is none, and the kind's icon stands in its place. */
  src?: string | undefined;
  name: string;
  mimeType?: string | null | undefined;
  /** The box's size and corners. */
  box?: string;
  className?: string | undefined;
};

/** A small picture of a file beside its name, in a box of one size whether it comes, fails or does not exist. */
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
  /** undefined: there is none. */
  src: string | undefined;
  className: string;
  /** What stands in its place when there is none, or it does not come. */
  children: ReactNode;
};

/** A decorative picture that comes when it is near the window; the words beside it say the rest. */
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
      // Neither black nor white: what is transparent may be drawn in either.
      className={classNames(className, src === loaded && 'bg-edge')}
      onLoad={() => setLoaded(src)}
      onError={() => setFailed(src)}
    />
  );
}
