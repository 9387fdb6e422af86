import { useState } from 'react';
import { classNames } from '../../lib/class-names.ts';

type PictureBackdropProps = {
  large: string;
  /** A smaller version of the picture for narrow windows. */
  small?: string;
  /** Position and size. The backdrop lies behind everything in its stacking context. */
  className: string;
  'data-testid'?: string;
  onError?: () => void;
};

/**
 * User-chosen background picture under a veil that keeps text readable. Content on top of it must be inside an
 * element with `data-over-picture`. Fades in once loaded, without layout shift.
 */
export function PictureBackdrop({ large, small, className, onError, ...props }: PictureBackdropProps) {
  const [shown, setShown] = useState('');
  return (
    <div
      aria-hidden="true"
      {...props}
      className={classNames('pointer-events-none -z-20 overflow-hidden bg-canvas print:hidden', className)}
    >
      <picture>
        {small && <source media="(max-width: 48rem)" srcSet={small} />}
        <img
          src={large}
          alt=""
          decoding="async"
          fetchPriority="low"
          onLoad={() => setShown(large)}
          onError={onError}
          className={classNames(
            'size-full object-cover filter-(--picture-filter) transition-opacity duration-(--slow) ease-settle',
            shown !== large && 'opacity-0',
          )}
        />
      </picture>
      <div className="absolute inset-0 bg-(--picture-veil)" />
    </div>
  );
}
