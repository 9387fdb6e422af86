import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';

type BadgeProps = {
  /**
   * `neutral` informs, `accent` recommends or marks something live, `danger` marks errors or ends, `outline` is
   * secondary.
   */
  tone?: 'neutral' | 'accent' | 'danger' | 'outline';
  icon?: ReactNode;
  children: ReactNode;
  className?: string;
};

const TONES = {
  neutral: 'border-transparent bg-press text-ink-soft',
  accent: 'border-transparent bg-accent-wash text-accent-ink',
  danger: 'border-transparent bg-danger-wash text-danger-ink',
  outline: 'border-line-firm text-ink-soft',
};

export function Badge({ tone = 'neutral', icon, children, className }: BadgeProps) {
  return (
    <span
      className={classNames(
        'tabular inline-flex h-6.5 w-fit shrink-0 items-center gap-1.5 rounded-full border px-2.5 text-xs font-medium whitespace-nowrap',
        '[&_svg]:size-3.5',
        TONES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
