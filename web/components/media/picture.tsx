import { type ReactNode, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';

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
