import type { ComponentProps, ReactNode } from 'react';
import { Spinner } from '../feedback/spinner.tsx';
import { Tooltip } from '../feedback/tooltip.tsx';
import { type ButtonSize, type ButtonVariant, iconButtonClasses } from './button-style.ts';

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  /** The accessible name and the tooltip. */
  label: string;
  icon: ReactNode;
  variant?: ButtonVariant;
  size?: ButtonSize;
  isBusy?: boolean;
  /** Where the tooltip opens; `none` for buttons inside menus and toasts. */
  tooltip?: 'top' | 'right' | 'bottom' | 'left' | 'none';
};

export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size = 'md',
  isBusy = false,
  tooltip = 'top',
  className,
  onClick,
  type = 'button',
  ...props
}: IconButtonProps) {
  const button = (
    <button
      type={type}
      aria-label={label}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      className={iconButtonClasses(variant, size, className)}
      onClick={isBusy ? undefined : onClick}
      {...props}
    >
      {isBusy ? <Spinner /> : icon}
    </button>
  );
  if (tooltip === 'none') return button;
  return (
    <Tooltip label={label} side={tooltip}>
      {button}
    </Tooltip>
  );
}
