import type { ComponentProps, ElementType } from 'react';
import { classNames } from '../../lib/class-names.ts';

type SurfaceProps = ComponentProps<'div'> & {
  as?: ElementType;
  padding?: 'none' | 'md' | 'lg';
  /** `raised` floats over pictures; `plain` has a hairline border. */
  level?: 'plain' | 'raised';
};

const PADDINGS = { none: '', md: 'p-5 sm:p-6', lg: 'p-6 sm:p-9' };
const LEVELS = { plain: 'border-line bg-surface', raised: 'border-line-firm bg-raised shadow-high' };

/** A card. Use few: most content needs only space and a hairline. */
export function Surface({
  as: Element = 'div',
  padding = 'md',
  level = 'plain',
  className,
  ...props
}: SurfaceProps) {
  return (
    <Element
      className={classNames('min-w-0 rounded-lg border', PADDINGS[padding], LEVELS[level], className)}
      {...props}
    />
  );
}
