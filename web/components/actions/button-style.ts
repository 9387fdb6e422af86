import { classNames } from '../../lib/class-names.ts';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';
export type ButtonSize = 'sm' | 'md' | 'lg';

const SHAPE =
  'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-full border font-medium ' +
  'whitespace-nowrap select-none transition-[background-color,border-color,color,scale] duration-(--quick) ' +
  'active:scale-[0.98] aria-disabled:active:scale-100 disabled:active:scale-100 [&_svg]:shrink-0';

const VARIANTS: Record<ButtonVariant, string> = {
  primary:
    'border-transparent bg-accent text-on-accent hover:bg-accent-hover ' +
    'disabled:border-line disabled:bg-press disabled:text-ink-faint',
  secondary:
    'border-line-firm bg-transparent text-ink hover:border-edge hover:bg-hover ' +
    'disabled:border-line disabled:bg-transparent disabled:text-ink-faint',
  ghost:
    'border-transparent bg-transparent text-ink-soft hover:bg-hover hover:text-ink ' +
    'disabled:bg-transparent disabled:text-ink-faint',
  danger:
    'border-transparent bg-danger text-on-danger hover:bg-danger-hover ' +
    'disabled:border-line disabled:bg-press disabled:text-ink-faint',
};

const SIZES: Record<ButtonSize, string> = {
  sm: 'min-h-control-sm px-3.5 text-sm [&_svg]:size-4',
  md: 'min-h-control-md px-5 text-base [&_svg]:size-[1.125rem]',
  lg: 'min-h-control-lg px-7 max-[22rem]:px-4 max-[22rem]:text-base text-lg [&_svg]:size-5',
};

const SQUARES: Record<ButtonSize, string> = {
  sm: 'size-control-sm [&_svg]:size-4',
  md: 'size-control-md [&_svg]:size-5',
  lg: 'size-control-lg [&_svg]:size-6',
};

export function buttonClasses(variant: ButtonVariant, size: ButtonSize, extra?: string): string {
  return classNames(SHAPE, VARIANTS[variant], SIZES[size], extra);
}

export function iconButtonClasses(variant: ButtonVariant, size: ButtonSize, extra?: string): string {
  return classNames(SHAPE, VARIANTS[variant], SQUARES[size], extra);
}
