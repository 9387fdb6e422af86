import { useState } from 'react';
import { classNames } from '../../lib/class-names.ts';

type PictureBackdropProps = {
  large: string;
  /** The same picture for narrow windows. */
  small?: string;
  /** Place and size; it lies behind everything in its stacking context. */
  className: string;
  'data-testid'?: string;
  onError?: () => void;
};

/**
 * A picture of somebody's choice under a veil that keeps text readable on any of them. What stands over it needs
 * `data-over-picture` around it. It fades in once it is whole and shifts nothing.
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
