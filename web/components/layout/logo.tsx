import { Trans } from '@lingui/react/macro';
import { classNames } from '../../lib/class-names.ts';

type LogoProps = {
  /** `mark` has no name beside it. */
  variant?: 'full' | 'mark';
  size?: 'md' | 'lg';
  className?: string;
};

/** A drop above two rings in water. */
export function Logo({ variant = 'full', size = 'md', className }: LogoProps) {
  const mark = (
    <svg
      viewBox="0 0 32 32"
      fill="none"
      aria-hidden="true"
      className={classNames(size === 'lg' ? 'size-9' : 'size-7', 'shrink-0')}
    >
      <g stroke="currentColor" strokeWidth="2.1" strokeLinecap="round">
        <path d="M9.6 15.3C5 16.5 2 18.8 2 21.5 2 25.6 8.3 29 16 29s14-3.4 14-7.5c0-2.7-3-5-7.6-6.2" />
        <path d="M9.9 20.6c-.5.5-.8 1-.8 1.6 0 1.8 3.1 3.2 6.9 3.2s6.9-1.4 6.9-3.2c0-.6-.3-1.1-.8-1.6" />
      </g>
      <path
        className="fill-accent-ink"
        d="M16 2.4c3.1 4.6 5 8.3 5 11.5a5 5 0 0 1-10 0c0-3.2 1.9-6.9 5-11.5Z"
      />
    </svg>
  );
  if (variant === 'mark') return <span className={className}>{mark}</span>;
  return (
    <span className={classNames('inline-flex items-center gap-2.5', className)}>
      {mark}
      <span className={classNames('mt-0.5 font-heading', size === 'lg' ? 'text-2xl' : 'text-xl')}>
        <Trans>Sendwell</Trans>
      </span>
    </span>
  );
}
