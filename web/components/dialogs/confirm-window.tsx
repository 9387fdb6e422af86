import { t } from '@lingui/core/macro';
import { AlertDialog as Radix } from 'radix-ui';
import type { MouseEvent, ReactNode } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { Button } from '../actions/button.tsx';
import { DialogFooter } from './dialog.tsx';
import { DIALOG_CARD, DIALOG_PLACE, DIALOG_VEIL } from './dialog-style.ts';
import { useFocusReturn } from './use-focus-return.ts';

export type ConfirmDialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: ReactNode;
  /** What will happen and whether it can be undone. */
  description: ReactNode;
  /** Names the action ("Delete transfer"), never "OK". */
  confirmLabel: string;
  cancelLabel?: string;
  isDestructive?: boolean;
  /** Keeps the dialog open. */
  isBusy?: boolean;
  /** The caller closes the dialog afterwards. */
  onConfirm: () => void;
};

export function ConfirmWindow({
  isOpen,
  onOpenChange,
  title,
  description,
  confirmLabel,
  cancelLabel = t`Cancel`,
  isDestructive = false,
  isBusy = false,
  onConfirm,
}: ConfirmDialogProps) {
  const focusReturn = useFocusReturn();
  const confirm = (event: MouseEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !isBusy && onOpenChange(next)}>
      <Radix.Portal>
        <Radix.Overlay className={DIALOG_VEIL}>
          <div className={DIALOG_PLACE}>
            <Radix.Content className={classNames(DIALOG_CARD, 'sm:max-w-md')} {...focusReturn}>
              <Radix.Title className="text-2xl">{title}</Radix.Title>
              <Radix.Description className="mt-2 text-ink-soft">{description}</Radix.Description>
              <DialogFooter>
                <Radix.Cancel asChild>
                  <Button variant="secondary">{cancelLabel}</Button>
                </Radix.Cancel>
                <Radix.Action asChild>
                  <Button variant={isDestructive ? 'danger' : 'primary'} isBusy={isBusy} onClick={confirm}>
                    {confirmLabel}
                  </Button>
                </Radix.Action>
              </DialogFooter>
            </Radix.Content>
          </div>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}
