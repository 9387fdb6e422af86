import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from '../actions/icon-button.tsx';
import { useFocusReturn } from './use-focus-return.ts';

export type SheetProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** Not visible: the content has its own heading or logo. */
  label: string;
  children: ReactNode;
};

export function SheetWindow({ isOpen, onOpenChange, label, children }: SheetProps) {
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn();
  // Radix would focus the first button and skip the links before it.
  const focusPanel = (event: Event) => {
    onOpenAutoFocus();
    event.preventDefault();
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusPanel}
          onCloseAutoFocus={onCloseAutoFocus}
          className={
            'fixed inset-y-0 left-0 z-40 flex w-(--sidebar-sheet) max-w-[calc(100vw-3rem)] flex-col border-r ' +
            'border-line-firm bg-raised pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] shadow-high outline-none data-[state=closed]:animate-sheet-out ' +
            'data-[state=open]:animate-sheet-in'
          }
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          {children}
          <span className="absolute top-1.5 right-1.5">
            <Radix.Close asChild>
              <IconButton label={t`Close`} icon={<X />} tooltip="none" />
            </Radix.Close>
          </span>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
