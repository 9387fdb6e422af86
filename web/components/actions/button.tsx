import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Spinner } from '../feedback/spinner.tsx';
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-style.ts';

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  /** Shows a spinner and ignores clicks, but keeps the focus. */
  isBusy?: boolean;
  /** Replaces the label while busy. */
  busyLabel?: string;
};

export function Button({
  variant = 'primary',
  size = 'md',
  icon,
  isBusy = false,
  busyLabel,
  className,
  children,
  onClick,
  type = 'button',
  ...props
}: ButtonProps) {
  // Not `disabled`, which would move the keyboard focus to the top of the page.
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (isBusy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type={type}
      className={buttonClasses(variant, size, className)}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={handleClick}
      {...props}
    >
      {isBusy ? <Spinner /> : icon}
      {isBusy && busyLabel ? busyLabel : children}
    </button>
  );
}
