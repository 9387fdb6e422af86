import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Spinner } from '../feedback/spinner.tsx';
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-style.ts';

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** A lucide icon element before the words. */
  icon?: ReactNode;
  /** Work is under way: shows a spinner, refuses clicks, keeps the focus where it is. */
  isBusy?: boolean;
  /** The words while busy ("Signing In..."); without them the usual words stay. */
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
  // A busy button is not `disabled`: that would drop the keyboard focus to the top of the page.
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
