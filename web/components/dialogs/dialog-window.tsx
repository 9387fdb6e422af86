import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { DIALOG_CARD, DIALOG_PLACE, DIALOG_VEIL } from './dialog-style.ts';
import { useFocusReturn } from './use-focus-return.ts';

export type DialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** False while closing would lose work: no close button, and Escape and outside clicks do nothing. */
  isDismissible?: boolean;
  children?: ReactNode;
};

const WIDTHS = { sm: 'sm:max-w-md', md: 'sm:max-w-lg', lg: 'sm:max-w-2xl' };

export function DialogWindow({
  isOpen,
  onOpenChange,
  title,
  description,
  footer,
  size = 'md',
  isDismissible = true,
  children,
}: DialogProps) {
  const focusReturn = useFocusReturn();
  const keepOpen = (event: Event) => {
    const isInToast = event.target instanceof Element && event.target.closest('[data-toast-region]');
    if (!isDismissible || isInToast) event.preventDefault();
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={DIALOG_VEIL}>
          <div className={DIALOG_PLACE}>
            <Radix.Content
              className={classNames(DIALOG_CARD, WIDTHS[size])}
              {...focusReturn}
              onEscapeKeyDown={keepOpen}
              onInteractOutside={keepOpen}
              {...(description ? {} : { 'aria-describedby': undefined })}
            >
              <header className="flex items-start gap-4">
                <div className="flex min-w-0 grow flex-col gap-1.5 pt-1">
                  <Radix.Title className="text-2xl">{title}</Radix.Title>
                  {description && (
                    <Radix.Description className="text-ink-soft">{description}</Radix.Description>
                  )}
                </div>
                {isDismissible && (
                  <Radix.Close asChild>
                    <IconButton label={t`Close`} icon={<X />} tooltip="none" className="-mt-1 -mr-2" />
                  </Radix.Close>
                )}
              </header>
              {children && <div className="mt-6">{children}</div>}
              {footer}
            </Radix.Content>
          </div>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}
