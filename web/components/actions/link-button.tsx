import type { ReactNode } from 'react';
import { Link, type LinkProps } from '../../lib/routing.tsx';
import { type ButtonSize, type ButtonVariant, buttonClasses } from './button-style.ts';

type LinkButtonProps = LinkProps & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
};

export function LinkButton({
  variant = 'primary',
  size = 'md',
  icon,
  className,
  children,
  ...props
}: LinkButtonProps) {
  return (
    <Link className={buttonClasses(variant, size, className)} {...props}>
      {icon}
      {children}
    </Link>
  );
}
