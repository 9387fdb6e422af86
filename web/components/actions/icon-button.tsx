import type { ComponentProps, ReactNode } from 'react';
import { Spinner } from '../feedback/spinner.tsx';
import { type TooltipSide, tooltip } from '../tooltips/tooltip.ts';
import { type ButtonSize, type ButtonVariant, iconButtonClasses } from './button-style.ts';

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  /** The accessible name and the tooltip. */
  label: string;
  icon: ReactNode;
  variant?: ButtonVariant;
  size?: ButtonSize;
  isBusy?: boolean;
  /** Where the tooltip opens; `none` for buttons inside menus and toasts. */
  tooltip?: TooltipSide | 'none';
};

export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size = 'md',
  isBusy = false,
  tooltip: side = 'top',
  className,
  onClick,
  type = 'button',
  ...props
}: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      className={iconButtonClasses(variant, size, className)}
      onClick={isBusy ? undefined : onClick}
      {...(side !== 'none' && tooltip(label, side))}
      {...props}
    >
      {isBusy ? <Spinner /> : icon}
    </button>
  );
}
